/* Every function of the interface, called as it is meant to be, and what each answers if it is not. */
#include <psmp/psmp.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                              \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, psmp_last_error()); \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)
#define GOOD(call) MUST((call) == PSMP_STATUS_OK)
/* It fails with this code, and says so with these words. */
#define FAILS(call, code, words) MUST((call) == (code) && strstr(psmp_last_error(), (words)) != NULL)

struct world {
  psmp_planner planner;
  long asked;
  /* Fails at this question; never if 0. */
  long fails_at;
  int calls_back;
};

/* A wall with a gap at the top. */
static int wall_is_free(const double *q) { return q[0] < 0.45 || q[0] > 0.55 || q[1] > 0.8; }

static int check(void *user_data, const double *q) {
  struct world *world = user_data;
  world->asked++;
  if (world->asked == world->fails_at) return -7;
  if (world->calls_back) {
    psmp_progress progress;
    FAILS(psmp_planner_progress(world->planner, &progress), PSMP_STATUS_BUSY, "at work");
  }
  return wall_is_free(q);
}

static int64_t check_many(void *user_data, const double *q, size_t count) {
  struct world *world = user_data;
  for (size_t i = 0; i < count; i++) {
    world->asked++;
    if (!wall_is_free(q + 2 * i)) return (int64_t)i;
  }
  return (int64_t)count;
}

static bool enough(void *user_data) { return ((struct world *)user_data)->asked >= 500; }

struct heard {
  psmp_planner planner;
  int events, improvements;
  double length;
  int stops_at;
};

static bool on_event(void *user_data, const psmp_event *event) {
  struct heard *heard = user_data;
  heard->events++;
  if (event->kind == PSMP_EVENT_KIND_IMPROVED) {
    size_t count;
    heard->improvements++;
    MUST(event->length < heard->length);
    heard->length = event->length;
    GOOD(psmp_planner_path_size(heard->planner, &count));
    MUST(count >= 2);
  }
  return heard->events != heard->stops_at;
}

static const double start[] = {0.1, 0.1};
static const double goals[] = {0.9, 0.9, 0.9, 0.1};
static const psmp_axis axes[] = {{0, 1, 1, false}, {0, 1, 1, false}};

/* The best path, free and as long as is said. */
static void see_path(psmp_planner planner, int goal_count) {
  psmp_progress progress;
  size_t count;
  double length = 0;
  GOOD(psmp_planner_progress(planner, &progress));
  GOOD(psmp_planner_path_size(planner, &count));
  double *path = malloc(count * 2 * sizeof *path);
  FAILS(psmp_planner_path(planner, path, count * 2 - 1), PSMP_STATUS_TOO_SMALL, "room");
  FAILS(psmp_planner_path(planner, NULL, count * 2), PSMP_STATUS_INVALID_ARGUMENT, "place");
  GOOD(psmp_planner_path(planner, path, count * 2));
  MUST(memcmp(path, start, sizeof start) == 0);
  int reached = 0;
  for (int g = 0; g < goal_count; g++) reached |= memcmp(path + 2 * (count - 1), goals + 2 * g, sizeof start) == 0;
  MUST(reached);
  for (size_t i = 1; i < count; i++) {
    const double *a = path + 2 * (i - 1), *b = path + 2 * i;
    length += hypot(b[0] - a[0], b[1] - a[1]);
    for (int step = 0; step <= 1000; step++) {
      const double t = step / 1000.0, q[] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
      MUST(wall_is_free(q) || !wall_is_free((double[]){q[0], q[1] + 0.002}));
    }
  }
  MUST(fabs(length - progress.best_length) < 1e-9);
  free(path);
}

static void see_graph(psmp_planner planner) {
  psmp_graph_size size;
  GOOD(psmp_planner_graph_size(planner, &size));
  MUST(size.vertices >= 2 && size.edges >= 1 && size.start < size.vertices && size.goal < size.vertices);
  double *vertices = malloc(size.vertices * 2 * sizeof *vertices);
  psmp_edge *edges = malloc(size.edges * sizeof *edges);
  GOOD(psmp_planner_vertices(planner, vertices, size.vertices * 2));
  GOOD(psmp_planner_edges(planner, edges, size.edges));
  FAILS(psmp_planner_edges(planner, edges, size.edges - 1), PSMP_STATUS_TOO_SMALL, "room");
  MUST(memcmp(vertices + 2 * size.start, start, sizeof start) == 0);
  size_t free_edges = 0, blocked = 0;
  for (size_t e = 0; e < size.edges; e++) {
    MUST(edges[e].from < size.vertices && edges[e].to < size.vertices);
    const double *a = vertices + 2 * edges[e].from, *b = vertices + 2 * edges[e].to;
    MUST(fabs(edges[e].length - hypot(b[0] - a[0], b[1] - a[1])) < 1e-9);
    free_edges += edges[e].state == PSMP_EDGE_STATE_FREE;
    blocked += edges[e].state == PSMP_EDGE_STATE_BLOCKED;
  }
  MUST(free_edges > 0 && blocked > 0);
  free(vertices);
  free(edges);
}

static void plan_in_every_way(const char *folder) {
  struct world world = {0};
  psmp_planner planner;
  psmp_event event;
  psmp_event_kind ending;
  size_t count;
  GOOD(psmp_planner_new(axes, 2, check, &world, &planner));
  world.planner = planner;
  FAILS(psmp_planner_step(planner, &event), PSMP_STATUS_NO_QUERY, "psmp_planner_query");
  GOOD(psmp_planner_set_name(planner, "ei:local"));
  GOOD(psmp_planner_set_seed(planner, 3));
  GOOD(psmp_planner_set_resolution(planner, 0.002));
  GOOD(psmp_planner_make_roadmap(planner, 200, 8));
  GOOD(psmp_planner_query(planner, start, goals, 1));
  FAILS(psmp_planner_path_size(planner, &count), PSMP_STATUS_NO_PATH, "no path");

  /* Step by step, with a check that fails on the way. */
  world.fails_at = 100;
  world.calls_back = 1;
  psmp_status status;
  do status = psmp_planner_step(planner, &event);
  while (status == PSMP_STATUS_OK && event.kind != PSMP_EVENT_KIND_NONE);
  MUST(status == PSMP_STATUS_CHECK_FAILED && strstr(psmp_last_error(), "-7"));
  world.calls_back = 0;

  /* On until a condition. */
  struct heard heard = {.planner = planner, .length = INFINITY};
  GOOD(psmp_planner_stop_when(planner, enough, &world));
  GOOD(psmp_planner_run(planner, on_event, &heard, &ending));
  MUST(ending == PSMP_EVENT_KIND_NONE && world.asked >= 500 && world.asked < 5000);
  GOOD(psmp_planner_stop_never(planner));
  GOOD(psmp_planner_stop_at_checks(planner, 3000));
  GOOD(psmp_planner_stop_at_seconds(planner, 600));
  GOOD(psmp_planner_stop_at_gap(planner, 0));
  heard.stops_at = heard.events + 1;
  GOOD(psmp_planner_run(planner, on_event, &heard, &ending));
  MUST(heard.events == heard.stops_at);
  GOOD(psmp_planner_run(planner, on_event, &heard, NULL));
  MUST(heard.improvements > 0);
  see_path(planner, 1);
  see_graph(planner);
  const double first = heard.length;

  /* The next query knows what this one has found out; one in another world does not. */
  GOOD(psmp_planner_stop_never(planner));
  GOOD(psmp_planner_stop_at_checks(planner, 3000));
  world.fails_at = 0;
  GOOD(psmp_planner_query(planner, start, goals, 2));
  GOOD(psmp_planner_run(planner, NULL, NULL, &ending));
  see_path(planner, 2);
  GOOD(psmp_planner_forget(planner));
  GOOD(psmp_planner_query(planner, start, goals, 1));
  GOOD(psmp_planner_run(planner, NULL, NULL, &ending));
  see_path(planner, 1);

  /* What is kept in a file is there for the next planner. */
  char file[4096];
  snprintf(file, sizeof file, "%s/run.kept", folder);
  remove(file);
  FAILS(psmp_planner_save(planner), PSMP_STATUS_INVALID_ARGUMENT, "psmp_planner_keep");
  GOOD(psmp_planner_keep(planner, file, "a wall"));
  GOOD(psmp_planner_query(planner, start, goals, 1));
  GOOD(psmp_planner_run(planner, NULL, NULL, NULL));
  GOOD(psmp_planner_save(planner));
  psmp_progress spent;
  GOOD(psmp_planner_progress(planner, &spent));
  GOOD(psmp_planner_free(planner));
  FAILS(psmp_planner_free(planner), PSMP_STATUS_NO_SUCH_PLANNER, "freed");
  GOOD(psmp_planner_new(axes, 2, check, &world, &planner));
  GOOD(psmp_planner_set_seed(planner, 3));
  GOOD(psmp_planner_set_resolution(planner, 0.002));
  GOOD(psmp_planner_keep(planner, file, "a wall"));
  GOOD(psmp_planner_stop_at_checks(planner, 600));
  GOOD(psmp_planner_query(planner, start, goals, 1));
  GOOD(psmp_planner_run(planner, NULL, NULL, NULL));
  see_path(planner, 1);
  psmp_progress again;
  GOOD(psmp_planner_progress(planner, &again));
  MUST(again.best_length <= spent.best_length + 1e-9);
  FAILS(psmp_planner_set_belief(planner, file), PSMP_STATUS_FILE, "run.kept");
  GOOD(psmp_planner_free(planner));
  MUST(first > hypot(0.8, 0.8));
}

static void plan_with_many_at_once(void) {
  struct world world = {0};
  psmp_planner planner;
  psmp_event_kind ending;
  GOOD(psmp_planner_new_many(axes, 2, check_many, 8, &world, &planner));
  GOOD(psmp_planner_set_axis_resolution(planner, 0.002));
  GOOD(psmp_planner_set_price(planner, 1e-5));
  GOOD(psmp_planner_measure_price(planner));
  GOOD(psmp_planner_set_settles(planner, false));
  GOOD(psmp_planner_query(planner, start, goals, 1));
  GOOD(psmp_planner_stop_at_checks(planner, 3000));
  GOOD(psmp_planner_run(planner, NULL, NULL, &ending));
  see_path(planner, 1);
  GOOD(psmp_planner_free(planner));
}

/* On a roadmap of the caller's, around the wall or not. */
static void plan_on_a_given_roadmap(void) {
  const double vertices[] = {0.1, 0.1, 0.9, 0.9, 0.5, 0.95, 0.5, 0.5};
  const uint32_t edges[] = {0, 2, 2, 1, 0, 3, 3, 1};
  struct world world = {0};
  psmp_planner planner;
  psmp_event_kind ending;
  GOOD(psmp_planner_new(axes, 2, check, &world, &planner));
  GOOD(psmp_planner_set_roadmap(planner, vertices, 4, edges, NULL, 4));
  GOOD(psmp_planner_set_fixed_roadmap(planner, true));
  GOOD(psmp_planner_set_name(planner, "lazysp"));
  GOOD(psmp_planner_query(planner, start, goals, 1));
  GOOD(psmp_planner_run(planner, NULL, NULL, &ending));
  MUST(ending == PSMP_EVENT_KIND_SHORTEST_ON_ROADMAP);
  see_path(planner, 1);
  const uint32_t wrong[] = {0, 4};
  FAILS(psmp_planner_set_roadmap(planner, vertices, 4, wrong, NULL, 1), PSMP_STATUS_INVALID_ARGUMENT, "vertex 4");
  const double lengths[] = {1, -1, 1, 1};
  FAILS(psmp_planner_set_roadmap(planner, vertices, 4, edges, lengths, 4), PSMP_STATUS_INVALID_ARGUMENT, "length");
  FAILS(psmp_planner_make_roadmap(planner, 0, 3), PSMP_STATUS_INVALID_ARGUMENT, "one at least");
  FAILS(psmp_planner_make_roadmap(planner, SIZE_MAX, 3), PSMP_STATUS_INVALID_ARGUMENT, "no more than");
  GOOD(psmp_planner_free(planner));
}

/* A robot that turns: round the shorter way. */
static int turns_freely(void *user_data, const double *q) { return (void)user_data, (void)q, 1; }
static void plan_across_a_wrapping_axis(void) {
  const double pi = acos(-1.0), from[] = {3.0}, to[] = {-3.0};
  const psmp_axis angle[] = {{-pi, pi, 0.5, true}};
  psmp_planner planner;
  psmp_event_kind ending;
  psmp_progress progress;
  GOOD(psmp_planner_new(angle, 1, turns_freely, NULL, &planner));
  GOOD(psmp_planner_query(planner, from, to, 1));
  GOOD(psmp_planner_run(planner, NULL, NULL, &ending));
  GOOD(psmp_planner_progress(planner, &progress));
  MUST(ending == PSMP_EVENT_KIND_STRAIGHT_LINE);
  MUST(fabs(progress.best_length - 0.5 * (2 * pi - 6)) < 1e-9);
  psmp_graph_size size;
  GOOD(psmp_planner_graph_size(planner, &size));
  MUST(size.vertices == 2 && size.edges == 1);
  GOOD(psmp_planner_free(planner));
}

static void make_every_mistake(void) {
  struct world world = {0};
  psmp_planner planner = 1;
  const psmp_axis bad[] = {{1, 0, 1, false}}, weightless[] = {{0, 1, 0, false}};
  FAILS(psmp_planner_new(axes, 2, NULL, &world, &planner), PSMP_STATUS_INVALID_ARGUMENT, "check function");
  FAILS(psmp_planner_new(NULL, 2, check, &world, &planner), PSMP_STATUS_INVALID_ARGUMENT, "axes");
  FAILS(psmp_planner_new(axes, 0, check, &world, &planner), PSMP_STATUS_INVALID_ARGUMENT, "one axis");
  FAILS(psmp_planner_new(bad, 1, check, &world, &planner), PSMP_STATUS_INVALID_ARGUMENT, "bounds");
  FAILS(psmp_planner_new(weightless, 1, check, &world, &planner), PSMP_STATUS_INVALID_ARGUMENT, "weight");
  FAILS(psmp_planner_new(axes, 2, check, &world, NULL), PSMP_STATUS_INVALID_ARGUMENT, "planner");
  FAILS(psmp_planner_new_many(axes, 2, check_many, 0, &world, &planner), PSMP_STATUS_INVALID_ARGUMENT, "at_once");
  FAILS(psmp_planner_free(0), PSMP_STATUS_NO_SUCH_PLANNER, "psmp_planner_new");
  FAILS(psmp_planner_forget(123456789), PSMP_STATUS_NO_SUCH_PLANNER, "never made");

  GOOD(psmp_planner_new(axes, 2, check, &world, &planner));
  FAILS(psmp_planner_set_name(planner, NULL), PSMP_STATUS_INVALID_ARGUMENT, "name");
  FAILS(psmp_planner_set_name(planner, "best"), PSMP_STATUS_INVALID_ARGUMENT, "`best`");
  FAILS(psmp_planner_set_name(planner, "\xff"), PSMP_STATUS_INVALID_ARGUMENT, "UTF-8");
  FAILS(psmp_planner_set_resolution(planner, 0), PSMP_STATUS_INVALID_ARGUMENT, "resolution");
  FAILS(psmp_planner_set_axis_resolution(planner, NAN), PSMP_STATUS_INVALID_ARGUMENT, "resolution");
  FAILS(psmp_planner_set_price(planner, -1), PSMP_STATUS_INVALID_ARGUMENT, "seconds");
  FAILS(psmp_planner_set_belief(planner, "/nowhere"), PSMP_STATUS_FILE, "/nowhere");
  FAILS(psmp_planner_keep(planner, "/nowhere/at/all", NULL), PSMP_STATUS_INVALID_ARGUMENT, "world");
  FAILS(psmp_planner_stop_at_seconds(planner, -1), PSMP_STATUS_INVALID_ARGUMENT, "seconds");
  FAILS(psmp_planner_stop_at_gap(planner, NAN), PSMP_STATUS_INVALID_ARGUMENT, "gap");
  FAILS(psmp_planner_stop_when(planner, NULL, NULL), PSMP_STATUS_INVALID_ARGUMENT, "NULL");
  FAILS(psmp_planner_query(planner, NULL, goals, 1), PSMP_STATUS_INVALID_ARGUMENT, "start");
  FAILS(psmp_planner_query(planner, start, NULL, 1), PSMP_STATUS_INVALID_ARGUMENT, "goals");
  FAILS(psmp_planner_query(planner, start, goals, 0), PSMP_STATUS_INVALID_ARGUMENT, "no goal");
  FAILS(psmp_planner_query(planner, start, goals, SIZE_MAX), PSMP_STATUS_INVALID_ARGUMENT, "goals");
  const double outside[] = {0.5, 1.5}, blocked[] = {0.5, 0.5};
  FAILS(psmp_planner_query(planner, outside, goals, 1), PSMP_STATUS_INVALID_ARGUMENT, "the start is outside");
  FAILS(psmp_planner_query(planner, start, outside, 1), PSMP_STATUS_INVALID_ARGUMENT, "goal 0 is outside");
  GOOD(psmp_planner_query(planner, blocked, goals, 1));
  FAILS(psmp_planner_run(planner, NULL, NULL, NULL), PSMP_STATUS_IN_COLLISION, "the start is in collision");
  FAILS(psmp_planner_step(planner, NULL), PSMP_STATUS_INVALID_ARGUMENT, "event");
  FAILS(psmp_planner_progress(planner, NULL), PSMP_STATUS_INVALID_ARGUMENT, "progress");
  GOOD(psmp_planner_set_resolution(planner, 1e-300));
  FAILS(psmp_planner_query(planner, start, goals, 1), PSMP_STATUS_INVALID_ARGUMENT, "resolution");
  GOOD(psmp_planner_free(planner));
}

static void *do_all(void *folder) {
  plan_in_every_way(folder);
  plan_with_many_at_once();
  plan_on_a_given_roadmap();
  plan_across_a_wrapping_axis();
  make_every_mistake();
  return NULL;
}

/* In a thread, so that what the library keeps for a thread is seen to go with it. */
int main(int count, char **arguments) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, do_all, count > 1 ? arguments[1] : ".") == 0);
  MUST(pthread_join(thread, NULL) == 0);
  puts("every call answers as it should");
  return 0;
}
