/* psmp for C: anytime motion planning where checks are expensive. docs/cpp.md is the guide.
 *
 * A planner is made of axes and a function that checks configurations; it is given a query, driven until a condition is
 * met, and asked for its path. Every function returns how it went.
 *
 * Licensed under MIT or Apache-2.0, at your choice. */

#ifndef PSMP_H
#define PSMP_H

/* Generated from crates/psmp-c/src: change that. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * How a call went. Anything but PSMP_STATUS_OK comes with a message: psmp_last_error().
 */
typedef enum {
  /**
   * All went well.
   */
  PSMP_STATUS_OK = 0,
  /**
   * Something that was given makes no sense; the message says what, and what would.
   */
  PSMP_STATUS_INVALID_ARGUMENT = 1,
  /**
   * No planner has this handle: it was freed, or never made.
   */
  PSMP_STATUS_NO_SUCH_PLANNER = 2,
  /**
   * The planner is at work: in another thread, or in the call that this one was made from.
   */
  PSMP_STATUS_BUSY = 3,
  /**
   * psmp_planner_query() has to come first.
   */
  PSMP_STATUS_NO_QUERY = 4,
  /**
   * No path has been found so far.
   */
  PSMP_STATUS_NO_PATH = 5,
  /**
   * There is less room than what is to be written takes.
   */
  PSMP_STATUS_TOO_SMALL = 6,
  /**
   * The start, or every goal, is in collision.
   */
  PSMP_STATUS_IN_COLLISION = 7,
  /**
   * The check function has returned a negative number. What was found before is kept: drive on to ask again.
   */
  PSMP_STATUS_CHECK_FAILED = 8,
  /**
   * A file cannot be read, written or used.
   */
  PSMP_STATUS_FILE = 9,
  /**
   * A mistake in psmp itself. The planner cannot go on; free it.
   */
  PSMP_STATUS_INTERNAL = 10,
} psmp_status;

/**
 * What has happened.
 */
typedef enum {
  /**
   * Nothing: the run was stopped, or is over.
   */
  PSMP_EVENT_KIND_NONE = 0,
  /**
   * A path was proposed, of this length, and will now be checked.
   */
  PSMP_EVENT_KIND_PROPOSED = 1,
  /**
   * There was nothing to propose that is shorter than the best path.
   */
  PSMP_EVENT_KIND_NO_IMPROVEMENT = 2,
  /**
   * A part of an edge was checked, and shows no collision.
   */
  PSMP_EVENT_KIND_PARTLY_CHECKED = 3,
  /**
   * An edge was checked.
   */
  PSMP_EVENT_KIND_CHECKED = 4,
  /**
   * An edge that was found free was proved free all along, or refuted.
   */
  PSMP_EVENT_KIND_PROVED = 5,
  /**
   * Configurations that are no edge of the roadmap were checked.
   */
  PSMP_EVENT_KIND_PROBED = 6,
  /**
   * The roadmap has grown.
   */
  PSMP_EVENT_KIND_GROWN = 7,
  /**
   * A way that is no path on the roadmap was tried to make the best path shorter.
   */
  PSMP_EVENT_KIND_TRIED = 8,
  /**
   * What a check and a thought cost was said anew.
   */
  PSMP_EVENT_KIND_PRICED = 9,
  /**
   * There is a better path, of this length.
   */
  PSMP_EVENT_KIND_IMPROVED = 10,
  /**
   * The best path is the shortest on the roadmap. The run is over.
   */
  PSMP_EVENT_KIND_SHORTEST_ON_ROADMAP = 11,
  /**
   * The roadmap has no path. The run is over.
   */
  PSMP_EVENT_KIND_NO_PATH_ON_ROADMAP = 12,
  /**
   * The best path is the straight line, and nothing is shorter. The run is over.
   */
  PSMP_EVENT_KIND_STRAIGHT_LINE = 13,
  /**
   * For very long no path was found, or the planner has nothing left. The run is over.
   */
  PSMP_EVENT_KIND_GAVE_UP = 14,
  /**
   * For long nothing has made the best path shorter. The run is over.
   */
  PSMP_EVENT_KIND_SETTLED = 15,
  /**
   * Something else, which this interface has no name for.
   */
  PSMP_EVENT_KIND_OTHER = 16,
} psmp_event_kind;

/**
 * What is known of an edge.
 */
typedef enum {
  /**
   * Nothing.
   */
  PSMP_EDGE_STATE_UNCHECKED = 0,
  /**
   * It was checked and is free.
   */
  PSMP_EDGE_STATE_FREE = 1,
  /**
   * It was checked and is blocked.
   */
  PSMP_EDGE_STATE_BLOCKED = 2,
} psmp_edge_state;

/**
 * One coordinate of a configuration.
 */
typedef struct {
  /**
   * The least value.
   */
  double lower;
  /**
   * The greatest value.
   */
  double upper;
  /**
   * What its part in every distance is multiplied by; 1 if nothing else is meant.
   */
  double weight;
  /**
   * Whether its two ends are one place, as those of an angle from -pi to pi are.
   */
  bool wraps;
} psmp_axis;

/**
 * Says whether a configuration is free: 1 if it is, 0 if it is in collision, a negative number if that cannot be told,
 * which breaks the run off. `configuration` has a value for each axis and is gone when the function returns.
 *
 * It is called in the thread that drives the planner, while that is at work. It must not throw or jump out.
 */
typedef int (*psmp_check)(void *user_data, const double *configuration);

/**
 * Names a planner; 0 names none. It is no address: one that was freed is found out.
 */
typedef uint64_t psmp_planner;

/**
 * Says which of `count` configurations, given one after the other, is the first in collision: its place counted
 * from 0, `count` if all are free, a negative number if that cannot be told. Otherwise as `psmp_check`.
 */
typedef int64_t (*psmp_check_many)(void *user_data, const double *configurations, size_t count);

/**
 * Says whether the run is to stop. It is asked often, in the thread that drives the planner: let it be quick.
 */
typedef bool (*psmp_ask_stop)(void *user_data);

/**
 * Where a run stands.
 */
typedef struct {
  /**
   * Configurations checked so far.
   */
  uint64_t configurations;
  /**
   * Edges and other motions checked so far.
   */
  uint64_t edges;
  /**
   * Paths proposed so far.
   */
  uint64_t proposals;
  /**
   * The length of the best path; infinite while there is none.
   */
  double best_length;
  /**
   * No path on the roadmap is shorter than this, nor any path at all if it is the straight line.
   */
  double lower_bound;
  /**
   * Whether the lower bound is one of the roadmap; else it is the straight line.
   */
  bool is_of_roadmap;
} psmp_progress;

/**
 * One step of a run.
 */
typedef struct {
  /**
   * What has happened.
   */
  psmp_event_kind kind;
  /**
   * The edge that it happened to; UINT32_MAX if there is none.
   */
  uint32_t edge;
  /**
   * Whether what was checked, proved or tried is free.
   */
  bool free;
  /**
   * The length of the path that it is about; 0 if there is none.
   */
  double length;
  /**
   * How many configurations that took.
   */
  uint64_t configurations;
  /**
   * Where the run stands after it.
   */
  psmp_progress progress;
} psmp_event;

/**
 * Told of each event of a run. Returns whether to go on. The planner may be asked for its path meanwhile.
 */
typedef bool (*psmp_on_event)(void *user_data, const psmp_event *event);

/**
 * How large the graph is, and where the query is in it.
 */
typedef struct {
  /**
   * How many vertices there are.
   */
  size_t vertices;
  /**
   * How many edges there are.
   */
  size_t edges;
  /**
   * The vertex where the query begins; UINT32_MAX if there are none.
   */
  uint32_t start;
  /**
   * The goal that the best path leads to, or the nearest; UINT32_MAX if there are no vertices.
   */
  uint32_t goal;
} psmp_graph_size;

/**
 * An edge between two vertices.
 */
typedef struct {
  /**
   * One end, as the number of a vertex counted from 0.
   */
  uint32_t from;
  /**
   * The other end.
   */
  uint32_t to;
  /**
   * How long it is.
   */
  double length;
  /**
   * What is known of it.
   */
  psmp_edge_state state;
} psmp_edge;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * What went wrong in this thread's last call that failed, in words; empty before the first. It stays until the
 * thread's next call that fails.
 */
const char *psmp_last_error(void);

/**
 * Makes a planner in the space of these axes, whose configurations `check` can check, and writes its handle to `planner`.
 * psmp_planner_free() lets go of it.
 *
 * # Safety
 * There are `count` axes at `axes`; `check` may be called with `user_data` until the planner is freed and no call is at
 * work with it.
 */
psmp_status psmp_planner_new(const psmp_axis *axes,
                             size_t count,
                             psmp_check check,
                             void *user_data,
                             psmp_planner *planner);

/**
 * The same for a function that checks many configurations at once, of which `at_once` take about as long as one.
 *
 * # Safety
 * As for psmp_planner_new().
 */
psmp_status psmp_planner_new_many(const psmp_axis *axes,
                                  size_t count,
                                  psmp_check_many check,
                                  size_t at_once,
                                  void *user_data,
                                  psmp_planner *planner);

/**
 * Lets go of a planner. If a call is at work with it, it goes when that returns.
 */
psmp_status psmp_planner_free(psmp_planner planner);

/**
 * Chooses how to plan, by name: `ei:ensemble` unless told; `lazysp`, `psmp:fs`, `rrtconnect` and so on.
 *
 * # Safety
 * `name` ends with a zero.
 */
psmp_status psmp_planner_set_name(psmp_planner planner, const char *name);

/**
 * Sets the seed: the same seed and the same answers give the same run. Without one, what checks and thinking take is
 * measured on the way, and a run need not be the same again.
 */
psmp_status psmp_planner_set_seed(psmp_planner planner,
                                  uint64_t seed);

/**
 * Asks about motions in steps of at most this distance; a thousandth of the longest side unless told.
 */
psmp_status psmp_planner_set_resolution(psmp_planner planner, double distance);

/**
 * Asks about motions in steps in which no axis moves farther than this, whatever its weight.
 */
psmp_status psmp_planner_set_axis_resolution(psmp_planner planner, double step);

/**
 * Says what the check of a configuration takes, in seconds: where that is much, it is thought about first.
 */
psmp_status psmp_planner_set_price(psmp_planner planner, double seconds);

/**
 * Finds out on the way what checks and thinking take, as it is by default, where a seed is set too.
 */
psmp_status psmp_planner_measure_price(psmp_planner planner);

/**
 * Whether a run ends by itself where for long nothing has made its path shorter, or none was found; true unless told. If
 * not, it goes on until it is stopped.
 */
psmp_status psmp_planner_set_settles(psmp_planner planner,
                                     bool settles);

/**
 * Whether the roadmap stays as it is, but for start and goals; false unless told.
 */
psmp_status psmp_planner_set_fixed_roadmap(psmp_planner planner, bool is_fixed);

/**
 * Plans on a roadmap of evenly spread configurations, each joined to its nearest. Unless told, one is made to fit.
 */
psmp_status psmp_planner_make_roadmap(psmp_planner planner,
                                      size_t vertices,
                                      size_t neighbours);

/**
 * Plans on this roadmap: `vertices` configurations one after the other, and `edges` pairs of numbers of vertices.
 * `lengths` are those of the edges; if it is NULL they are the distances.
 *
 * # Safety
 * The arrays are as long as that.
 */
psmp_status psmp_planner_set_roadmap(psmp_planner planner,
                                     const double *configurations,
                                     size_t vertices,
                                     const uint32_t *ends,
                                     const double *lengths,
                                     size_t edges);

/**
 * Plans with what was learned from known worlds: a file of `psmp learn` or of Python's `psmp.learn`, on the roadmap that
 * was given before, or on that of the file if it has one.
 *
 * # Safety
 * `file` ends with a zero.
 */
psmp_status psmp_planner_set_belief(psmp_planner planner,
                                    const char *file);

/**
 * Begins with what is kept in a file, if it is there: the roadmap as it has grown, and what is known of its edges if the
 * world has this name. psmp_planner_save() keeps what was found out in it. Give the resolution first.
 *
 * # Safety
 * Both texts end with a zero.
 */
psmp_status psmp_planner_keep(psmp_planner planner,
                              const char *file,
                              const char *world);

/**
 * Keeps the roadmap, and what is known of it, in the file that psmp_planner_keep() named.
 */
psmp_status psmp_planner_save(psmp_planner planner);

/**
 * Begins a query from a start to any of `goal_count` goals, given one after the other. What the planner has found out in queries
 * before is kept, unless a setting has changed since. Nothing is checked yet.
 *
 * # Safety
 * `start` has a value for each axis, and `goals` so many for each goal.
 */
psmp_status psmp_planner_query(psmp_planner planner,
                               const double *start,
                               const double *goals,
                               size_t goal_count);

/**
 * Says that the world has changed: what is known of edges is forgotten, with the next query. The roadmap stays.
 */
psmp_status psmp_planner_forget(psmp_planner planner);

/**
 * Stops once so many configurations have been checked in a query. Of several conditions any one stops a run.
 */
psmp_status psmp_planner_stop_at_checks(psmp_planner planner, uint64_t configurations);

/**
 * Stops once so many seconds have passed since psmp_planner_run() was called, or the first step made.
 */
psmp_status psmp_planner_stop_at_seconds(psmp_planner planner, double seconds);

/**
 * Stops once the best path is certainly at most this share longer than the shortest on the roadmap.
 */
psmp_status psmp_planner_stop_at_gap(psmp_planner planner, double gap);

/**
 * Stops once `ask` says so.
 *
 * # Safety
 * `ask` may be called with `user_data` while the planner is driven, until psmp_planner_stop_never().
 */
psmp_status psmp_planner_stop_when(psmp_planner planner, psmp_ask_stop ask, void *user_data);

/**
 * Takes all conditions away: a run goes on until it ends by itself.
 */
psmp_status psmp_planner_stop_never(psmp_planner planner);

/**
 * Takes a step, at most one check of an edge, and writes what has happened to `event`: PSMP_EVENT_KIND_NONE if a
 * condition is met, or the run is over.
 *
 * # Safety
 * `event` can be written to.
 */
psmp_status psmp_planner_step(psmp_planner planner,
                              psmp_event *event);

/**
 * Drives the planner until a condition is met or the run is over, and writes which it was to `ending`, unless that is NULL:
 * PSMP_EVENT_KIND_NONE, or the event that ended it. `on_event`, unless it is NULL, is told of each event on the way.
 *
 * # Safety
 * `on_event` may be called with `user_data`, and `ending` can be written to.
 */
psmp_status psmp_planner_run(psmp_planner planner,
                             psmp_on_event on_event,
                             void *user_data,
                             psmp_event_kind *ending);

/**
 * Writes where the run stands to `progress`.
 *
 * # Safety
 * `progress` can be written to.
 */
psmp_status psmp_planner_progress(psmp_planner planner, psmp_progress *progress);

/**
 * Writes how many configurations the best path so far has to `count`, start and goal included.
 *
 * # Safety
 * `count` can be written to.
 */
psmp_status psmp_planner_path_size(psmp_planner planner, size_t *count);

/**
 * Writes the configurations of the best path so far, one after the other, to `values`, which has room for `capacity` numbers.
 *
 * # Safety
 * So many numbers can be written to `values`.
 */
psmp_status psmp_planner_path(psmp_planner planner,
                              double *values,
                              size_t capacity);

/**
 * Gathers all that was found out into a graph, the roadmap with what it has grown by, and writes its size to `size`. It stays
 * as it is until the next step or query.
 *
 * # Safety
 * `size` can be written to.
 */
psmp_status psmp_planner_graph_size(psmp_planner planner,
                                    psmp_graph_size *size);

/**
 * Writes the vertices of the graph, one configuration after the other, to `values`, which has room for `capacity` numbers.
 *
 * # Safety
 * So many numbers can be written to `values`.
 */
psmp_status psmp_planner_vertices(psmp_planner planner,
                                  double *values,
                                  size_t capacity);

/**
 * Writes the edges of the graph, with what is known of them, to `edges`, which has room for `capacity` of them.
 *
 * # Safety
 * So many edges can be written to `edges`.
 */
psmp_status psmp_planner_edges(psmp_planner planner,
                               psmp_edge *edges,
                               size_t capacity);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PSMP_H */
