/* A caller who makes every mistake: random functions in random order, on handles that are alive, freed or made up, with arrays
 * that are not there, numbers that are none, and check functions that fail or call back into the library.
 *
 *   random_calls CALLS SEED FOLDER
 *
 * After each call it sees that the answer is possible: no other code, a message with each failure, no such planner if and only if
 * there is none. Who crashes has failed. */
#include <psmp/psmp.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_AXES 4
#define SLOTS 12
#define ROOM 4096

static uint64_t state;
static uint64_t bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static unsigned below(unsigned count) { return (unsigned)((bits() >> 32) % count); }
static double share(void) { return (double)(bits() >> 11) / 9007199254740992.0; }

/* A number that somebody might give: mostly sensible. */
static double number(double lower, double upper) {
  static const double strange[] = {0.0, -1.0, 1e-300, 1e300, NAN, INFINITY, -INFINITY, -0.0};
  return below(40) == 0 ? strange[below(8)] : lower + share() * (upper - lower);
}
static size_t count_of(size_t sensible) {
  static const size_t strange[] = {0, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 16 + 1, (size_t)1 << 33};
  return below(40) == 0 ? strange[below(5)] : sensible;
}

/* A planner that was made, and how far it may go. */
struct slot {
  psmp_planner handle;
  bool is_alive;
  unsigned axes;
  /* How many more questions are answered in this call. */
  int patience;
  bool fails, calls_back;
  double wall;
};
static struct slot slots[SLOTS];
static const char *folder;
static unsigned long long calls, most, answers[11];
static int depth;

static void wrong(const char *what, int code) {
  fprintf(stderr, "after %llu calls: %s: status %d, `%s`\n", calls, what, code, psmp_last_error());
  abort();
}

static void random_call(void);

static int check(void *user_data, const double *q) {
  struct slot *slot = user_data;
  double sum = 0;
  for (unsigned i = 0; i < slot->axes; i++) sum += q[i];
  if (slot->calls_back && depth < 3 && below(8) == 0) random_call();
  if (--slot->patience < 0) return -1;
  if (slot->fails && below(50) == 0) return (int)below(5) - 2;
  return fabs(sum / slot->axes - slot->wall) > 0.05 || q[0] > 0.9;
}
static int64_t check_many(void *user_data, const double *q, size_t count) {
  struct slot *slot = user_data;
  for (size_t i = 0; i < count; i++) {
    const int free = check(user_data, q + i * slot->axes);
    if (free != 1) return free == 0 ? (int64_t)i : -5;
  }
  return slot->fails && below(50) == 0 ? (int64_t)count + 1 : (int64_t)count;
}
static bool ask(void *user_data) { return below(20) == 0 && ((struct slot *)user_data)->axes > 0; }
static bool on_event(void *user_data, const psmp_event *event) {
  (void)user_data;
  if ((int)event->kind <= PSMP_EVENT_KIND_NONE || event->kind > PSMP_EVENT_KIND_OTHER) wrong("no such event", event->kind);
  if (depth < 3 && below(16) == 0) random_call();
  return below(30) != 0;
}

/* Which handle to call with: mostly one that is alive. */
static struct slot *pick(psmp_planner *handle) {
  struct slot *slot = &slots[below(SLOTS)];
  *handle = slot->handle;
  if (below(50) == 0) *handle = below(2) ? 0 : bits() >> below(64);
  return slot;
}

static bool is_alive(psmp_planner handle) {
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].is_alive && slots[i].handle == handle) return true;
  }
  return false;
}

/* Sees that an answer is possible. A call on a planner that was alive may have freed it on the way. */
static psmp_status answered(const char *what, psmp_planner handle, bool was_alive, psmp_status status) {
  if ((int)status < PSMP_STATUS_OK || status >= PSMP_STATUS_INTERNAL) wrong(what, status);
  if (status != PSMP_STATUS_OK && psmp_last_error()[0] == 0) wrong("a failure without a word", status);
  if (!was_alive && status != PSMP_STATUS_NO_SUCH_PLANNER) wrong(what, status);
  if (was_alive && is_alive(handle) && status == PSMP_STATUS_NO_SUCH_PLANNER) wrong(what, status);
  answers[status]++;
  return status;
}

static void make(struct slot *slot) {
  if (slot->is_alive) {
    slot->is_alive = false;
    if (psmp_planner_free(slot->handle) != PSMP_STATUS_OK) wrong("free", 0);
  }
  /* Its data may be in use by a call that is at work: that is why others take its place only then. */
  if (depth > 1) return;
  psmp_axis axes[MOST_AXES];
  slot->axes = 1 + below(MOST_AXES);
  for (unsigned i = 0; i < MOST_AXES; i++) {
    axes[i].lower = number(0, 0);
    axes[i].upper = number(1, 1);
    axes[i].weight = number(0.5, 2);
    axes[i].wraps = below(4) == 0;
  }
  slot->wall = 0.3 + 0.4 * share();
  slot->fails = below(4) == 0;
  slot->calls_back = below(4) == 0;
  slot->patience = 0;
  const size_t count = below(40) == 0 ? 0 : slot->axes;
  const psmp_axis *given = below(60) == 0 ? NULL : axes;
  psmp_planner handle = 0;
  const bool many = below(3) == 0;
  const psmp_status status =
      many ? psmp_planner_new_many(given, count, below(60) ? check_many : NULL, count_of(1 + below(16)), slot, &handle)
           : psmp_planner_new(given, count, below(60) ? check : NULL, slot, below(60) ? &handle : NULL);
  if (status != PSMP_STATUS_OK && status != PSMP_STATUS_INVALID_ARGUMENT) wrong("new", status);
  answers[status]++;
  slot->handle = handle;
  slot->is_alive = status == PSMP_STATUS_OK;
  /* Small, so that many of them can be planned on. */
  if (slot->is_alive && below(50)) {
    answered("make_roadmap", handle, true, psmp_planner_make_roadmap(handle, 1 + below(30), 1 + below(6)));
    answered("set_resolution", handle, true, psmp_planner_set_resolution(handle, 0.02));
  }
}

static void random_call(void) {
  static double values[ROOM];
  static psmp_edge edges[ROOM];
  static uint32_t ends[ROOM];
  static char file[4096];
  if (calls >= most) return;
  calls++;
  depth++;
  psmp_planner handle;
  struct slot *slot = pick(&handle);
  const bool alive = is_alive(handle);
  const bool is_given = below(40) != 0;
  for (int i = 0; i < 16; i++) values[i] = number(0, 1);
  double *numbers = is_given ? values : NULL;
  const size_t room = below(4) ? ROOM : below(8);
  psmp_event event;
  psmp_event_kind ending;
  psmp_progress progress;
  psmp_graph_size size;
  size_t count;
  psmp_status status;
  slot->patience = (int)below(200);
#define CALL(name, ...) status = answered(#name, handle, alive, psmp_planner_##name(handle, __VA_ARGS__))
#define CALL_0(name) status = answered(#name, handle, alive, psmp_planner_##name(handle))
  switch (below(40)) {
    case 0:
      if (!slot->is_alive || below(8) == 0) make(slot);
      break;
    case 1:
      if (below(8) == 0) {
        for (int i = 0; i < SLOTS; i++) slots[i].is_alive &= slots[i].handle != handle;
        CALL_0(free);
      }
      break;
    case 2: {
      static const char *names[] = {"ei:local", "ei:ensemble", "lazysp", "psmp:fs", "rrtconnect", "bitstar", "", "ei:ei:ei:ei", "\xc3"};
      CALL(set_name, is_given ? names[below(9)] : NULL);
      break;
    }
    case 3: CALL(set_seed, bits()); break;
    /* Coarse: what is fine takes memory for long motions, and time. */
    case 4: CALL(set_resolution, below(40) ? 0.01 + 0.1 * share() : number(0, 1)); break;
    case 5: CALL(set_axis_resolution, 0.01 + 0.1 * share()); break;
    case 6: CALL(set_price, number(1e-9, 1e-3)); break;
    case 7: CALL_0(measure_price); break;
    case 8: CALL(set_settles, below(2)); break;
    case 9: CALL(set_fixed_roadmap, below(2)); break;
    case 10: CALL(make_roadmap, count_of(1 + below(30)), count_of(1 + below(6))); break;
    case 11: {
      const unsigned vertices = 1 + below(6), joined = below(8);
      for (unsigned i = 0; i < 2 * joined; i++) ends[i] = below(50) ? below(vertices) : (uint32_t)bits();
      for (unsigned i = 0; i < 24; i++) values[i] = number(0, 1);
      /* Huge numbers are said of arrays that are not there alone: no library can know better. */
      CALL(set_roadmap, numbers, is_given ? vertices : count_of(vertices), is_given ? ends : NULL,
           below(2) ? NULL : values, is_given ? joined : count_of(joined));
      break;
    }
    case 12:
      if (below(100) == 0) {
        snprintf(file, sizeof file, "%s/%u.kept", folder, below(3));
        if (below(3) == 0) CALL(set_belief, is_given ? file : NULL);
        else CALL(keep, is_given ? file : NULL, below(40) ? "a wall" : NULL);
      }
      break;
    case 13:
      if (below(100) == 0) CALL_0(save);
      break;
    case 14: CALL_0(forget); break;
    case 15: CALL(stop_at_checks, below(400)); break;
    case 16: CALL(stop_at_seconds, number(0, 1)); break;
    case 17: CALL(stop_at_gap, number(0, 0.1)); break;
    case 18: CALL(stop_when, is_given ? ask : NULL, slot); break;
    case 19: CALL_0(stop_never); break;
    case 20: CALL(progress, is_given ? &progress : NULL); break;
    case 21: CALL(path_size, is_given ? &count : NULL); break;
    case 22:
      CALL(path, numbers, room);
      if (status == PSMP_STATUS_OK && !isfinite(values[0])) wrong("a path from nowhere", status);
      break;
    case 23: if (below(8) == 0) CALL(graph_size, is_given ? &size : NULL); break;
    case 24: if (below(8) == 0) CALL(vertices, numbers, room); break;
    case 25: if (below(8) == 0) CALL(edges, is_given ? edges : NULL, room); break;
    case 26: case 27:
      CALL(query, numbers, is_given ? values + 4 : NULL, is_given ? 1 + below(3) : count_of(1));
      break;
    case 28: case 29: case 30: CALL(step, is_given ? &event : NULL); break;
    default: CALL(run, below(2) ? on_event : NULL, slot, is_given ? &ending : NULL);
  }
  (void)status;
  depth--;
}

static void *call_all(void *nothing) {
  for (int i = 0; i < SLOTS; i++) make(&slots[i]);
  while (calls < most) {
    random_call();
    if (calls % 1000000 == 0) fprintf(stderr, "%llu calls\n", calls);
  }
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].is_alive && psmp_planner_free(slots[i].handle) != PSMP_STATUS_OK) wrong("free", 0);
  }
  return nothing;
}

int main(int count, char **arguments) {
  pthread_t thread;
  most = count > 1 ? strtoull(arguments[1], NULL, 10) : 100000;
  const unsigned long long seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  folder = count > 3 ? arguments[3] : ".";
  state = seed * 0x9E3779B97F4A7C15u + 1;
  /* In a thread, so that what the library keeps for a thread is seen to go with it. */
  if (pthread_create(&thread, NULL, call_all, NULL) != 0 || pthread_join(thread, NULL) != 0) return 1;
  printf("%llu calls, seed %llu, answered with", calls, seed);
  for (int i = 0; i < 11; i++) printf(" %llu", answers[i]);
  printf("\n");
  /* All kinds of answers came up, or this is no test; files and the mistakes of the library need not. */
  for (int i = 0; i < 9 && calls >= 100000; i++) {
    if (answers[i] == 0) wrong("an answer that never came", i);
  }
  return 0;
}
