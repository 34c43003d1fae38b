/*
 * svc: a pipeline language that is checked before it runs, and the engine that runs it.
 *
 * Generated from the sources by cbindgen; do not edit.
 *
 * Text is UTF-8 that ends with a NUL. What a function writes to a `char **` is a new text, which
 * the caller frees with svc_string_free; a `char **` that is NULL is not written. An optional
 * argument may be NULL. Every other pointer must be one that this library returned and that was
 * not freed; NULL and text that is not UTF-8 are errors, not crashes.
 *
 * A function that fails writes the error as JSON, the same object for every error: `phase`
 * (`check`, `input` or `run`), `kind`, `code`, `message`, `path`, `component`, `problems`, `cap`,
 * `usage` and `partial`. Each problem has a `help`, a place and more.
 *
 * Every function may be called from any thread, also with a handle that other threads use; only
 * the functions that free a handle must be its last use. No function unwinds into C: a bug of the
 * library is SVC_STATUS_BUG. A process that forks must not use its handles in the child.
 */

#ifndef SVC_H
#define SVC_H

#include <stdbool.h>
#include <stdint.h>

// The result of a function.
typedef enum SvcStatus {
  // It worked.
  SVC_STATUS_OK = 0,
  // The script is wrong. Nothing ran.
  SVC_STATUS_CHECK = 1,
  // The arguments are wrong. Nothing ran.
  SVC_STATUS_INPUT = 2,
  // The run failed.
  SVC_STATUS_RUN = 3,
  // The time of the wait is over. The run continues.
  SVC_STATUS_WAITING = 4,
  // A bug of this library.
  SVC_STATUS_BUG = 5,
} SvcStatus;

// A call of an op, valid until its function returns.
typedef struct SvcCall SvcCall;

// An engine: it checks, plans and runs scripts.
typedef struct SvcEngine SvcEngine;

// A script that was checked and planned. It may be run many times.
typedef struct SvcPlan SvcPlan;

// A started run.
typedef struct SvcRun SvcRun;

// A function that is an op. `arguments` is a JSON object with the params by name, valid during the
// call. It answers with `svc_call_return` or `svc_call_fail`, must return normally, and must not throw
// or jump out.
typedef void (*SvcOpFunction)(void *user_data, const struct SvcCall *call, const char *arguments);

// A function that frees the user data of an op.
typedef void (*SvcFreeFunction)(void *user_data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as `0.1.0`. It is not freed.
const char *svc_version(void);

// Frees a text that this library returned. NULL is allowed.
void svc_string_free(char *text);

// Makes an engine with the built-in components on this machine; free it with `svc_engine_free`.
// NULL after a bug of the library.
struct SvcEngine *svc_engine_new(void);

// Frees an engine. Runs that were started continue. NULL is allowed.
void svc_engine_free(struct SvcEngine *engine);

// Sets the policy of the engine for all further runs, as JSON: `{"allow": ["reads fs:./docs"],
// "deny": ["spends"]}`. Without `allow`, everything is allowed that `deny` does not name; an empty
// list allows only computing. Paths are relative to the current folder.
enum SvcStatus svc_engine_set_policy(const struct SvcEngine *engine,
                                     const char *policy,
                                     char **error);

// Adds an op to the engine, for all further checks and runs. `declaration` is JSON:
//
// ```json
// {"name": "crm.score", "returns": "float", "effects": ["reads crm"], "version": 1,
//  "doc": "Scores a customer.",
//  "params": [{"name": "customer", "type": "{ name: string, age: int? }"},
//             {"name": "weight", "type": "float", "default": 1.0, "doc": "The weight."}]}
// ```
//
// Types are written as in scripts. The first param is the input of a stage. Only `name` and
// `returns` are required; without `effects` the op is pure, and without `version` its results are
// never reused by other runs.
//
// `function` is called on worker threads, several at once, and must be safe for that. It gets
// `user_data`, which `free_user_data` frees, if it is not NULL, once neither the engine nor a run
// needs it any more: on any thread, and at once if the op cannot be added.
enum SvcStatus svc_engine_add_op(const struct SvcEngine *engine,
                                 const char *declaration,
                                 SvcOpFunction function,
                                 void *user_data,
                                 SvcFreeFunction free_user_data,
                                 char **error);

// Checks a script without running it, and writes the verdict as JSON: `ok`, `problems`, `params`,
// `result`, `effects` and more, as `svc check --json` prints. Returns `SVC_STATUS_CHECK` if the script
// is wrong. `options` may have `name` and `folder`; it may be NULL.
enum SvcStatus svc_check(const struct SvcEngine *engine,
                         const char *script,
                         const char *options,
                         char **verdict);

// Plans a script; free the plan with `svc_plan_free`. `options` may have `name` and `folder`; it may
// be NULL.
enum SvcStatus svc_plan_new(const struct SvcEngine *engine,
                            const char *script,
                            const char *options,
                            struct SvcPlan **plan,
                            char **error);

// Writes the plan as JSON, as `svc plan --json` prints it: its nodes, effects and envelope, which
// is the most that a run can take.
enum SvcStatus svc_plan_json(const struct SvcPlan *plan, char **json);

// Frees a plan. NULL is allowed.
void svc_plan_free(struct SvcPlan *plan);

// Runs a script and waits for its end. Writes `{"value": .., "usage": {"tokens": .., "cost": ..},
// "warnings": [..]}`, or the error.
//
// `inputs` is a JSON object with the params of the script by name, or NULL; the one of a script
// that begins with a stage is `input`. Durations, money, paths and bytes are strings, as in `"30s"`,
// `"$0.05"` and hex digits.
//
// `options` is a JSON object, or NULL: `max_cost` in US dollars, `max_tokens`, `timeout_ms`, `max_memory`
// in bytes, `policy` as of `svc_engine_set_policy` for this run, and the `name` and the `folder` of the
// script.
enum SvcStatus svc_run(const struct SvcEngine *engine,
                       const char *script,
                       const char *inputs,
                       const char *options,
                       char **result);

// Starts a run on threads of the library; free it with `svc_run_free`. The arguments are those of
// `svc_run`. A script that is wrong is an error of `svc_run_join`.
enum SvcStatus svc_start(const struct SvcEngine *engine,
                         const char *script,
                         const char *inputs,
                         const char *options,
                         struct SvcRun **run,
                         char **error);

// The same for a plan, with an engine that has the same ops.
enum SvcStatus svc_start_plan(const struct SvcEngine *engine,
                              const struct SvcPlan *plan,
                              const char *inputs,
                              const char *options,
                              struct SvcRun **run,
                              char **error);

// Waits for the next event, at most `timeout_ms` milliseconds, or as long as it takes if that is
// negative. Writes it as JSON, with `event`, `path` and more, or NULL after the last one, which is
// `ended`. Returns `SVC_STATUS_WAITING` if there was none in that time.
//
// Events need not be read: the oldest of many are dropped.
enum SvcStatus svc_run_next_event(const struct SvcRun *run, int64_t timeout_ms, char **event);

// Cancels a run, also while other threads wait for it. Its error is then of the kind `cancelled`,
// unless it had ended.
enum SvcStatus svc_run_cancel(const struct SvcRun *run);

// Waits for the end of a run, at most `timeout_ms` milliseconds, or as long as it takes if that is
// negative. Writes the result as `svc_run` does, once: a second call is an error.
enum SvcStatus svc_run_join(const struct SvcRun *run, int64_t timeout_ms, char **result);

// Frees a run, and cancels it if it has not ended. NULL is allowed.
void svc_run_free(struct SvcRun *run);

// Sets the result of a call, as JSON. A later answer replaces it.
enum SvcStatus svc_call_return(const struct SvcCall *call, const char *value);

// Makes a call fail. `kind` is `failed`, `invalid_input`, `not_found`, `unsupported`, `denied`, `timeout`,
// `rate_limit`, `unavailable`, `invalid_output` or `exhausted`; the engine retries `timeout`, `rate_limit`,
// `unavailable` and `invalid_output`. `help` may be NULL.
enum SvcStatus svc_call_fail(const struct SvcCall *call,
                             const char *kind,
                             const char *message,
                             const char *help);

// Whether the call was cancelled. A function that takes long asks at least every 100 ms, and then
// returns; its answer is ignored.
bool svc_call_is_cancelled(const struct SvcCall *call);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SVC_H */
