/* Wrong pointers, text and JSON: each is an error, and nothing crashes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svc.h"

static void expect(int line, SvcStatus status, SvcStatus expected, char *text, const char *part) {
    if (status != expected || !text || !strstr(text, part)) {
        fprintf(stderr, "line %d: status %d: %s\nexpected %s\n", line, (int)status,
                text ? text : "NULL", part);
        exit(1);
    }
    svc_string_free(text);
}

#define WRONG(call, part)                                                                          \
    do {                                                                                           \
        char *text = NULL;                                                                         \
        SvcStatus status = call;                                                                   \
        expect(__LINE__, status, SVC_STATUS_INPUT, text, part);                                    \
    } while (0)

static int freed;

static void set_freed(void *data) {
    (void)data;
    freed++;
}

static void silent(void *data, const SvcCall *call, const char *arguments) {
    (void)data, (void)call, (void)arguments;
}

static void bad_json(void *data, const SvcCall *call, const char *arguments) {
    (void)data, (void)arguments;
    svc_call_return(call, "{");
}

static void wrong_type(void *data, const SvcCall *call, const char *arguments) {
    (void)data, (void)arguments;
    svc_call_return(call, "\"text\"");
}

static void bad_kind(void *data, const SvcCall *call, const char *arguments) {
    (void)data, (void)arguments;
    svc_call_fail(call, "hopeless", "no", NULL);
}

static void fails(SvcEngine *engine, const char *name, SvcOpFunction function, const char *part) {
    char declaration[128], *error = NULL, *text = NULL;
    snprintf(declaration, sizeof declaration, "{\"name\": \"%s\", \"returns\": \"int\"}", name);
    if (svc_engine_add_op(engine, declaration, function, NULL, NULL, &error) != SVC_STATUS_OK) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    char script[64];
    snprintf(script, sizeof script, "%s()", name);
    SvcStatus status = svc_run(engine, script, NULL, NULL, &text);
    expect(__LINE__, status, SVC_STATUS_RUN, text, part);
}

int main(void) {
    SvcEngine *engine = svc_engine_new();
    SvcRun *run = NULL;
    SvcPlan *plan = NULL;

    WRONG(svc_check(NULL, "1", NULL, &text), "`engine` is NULL");
    WRONG(svc_check(engine, NULL, NULL, &text), "`script` is NULL");
    WRONG(svc_check(engine, "\"\xff\"", NULL, &text), "`script` is not valid UTF-8 (invalid byte at offset 1)");
    WRONG(svc_run(engine, "1", "[1", NULL, &text), "invalid JSON for `inputs`");
    WRONG(svc_run(engine, "1", "{\"n\": 1}", NULL, &text), "the script has no param `n`");
    WRONG(svc_run(engine, "1", NULL, "{\"max_const\": 1}", &text), "unknown field `max_const`");
    WRONG(svc_run(engine, "1", NULL, "{\"max_cost\": \"five\"}", &text), "invalid amount");
    WRONG(svc_run(engine, "param n: int  n", NULL, NULL, &text), "the script needs `n: int`");
    WRONG(svc_start(engine, "1", NULL, NULL, NULL, &text), "`run` is NULL");
    WRONG(svc_plan_new(engine, "1", NULL, NULL, &text), "`plan` is NULL");
    WRONG(svc_plan_json(plan, &text), "`plan` is NULL");
    WRONG(svc_run_join(run, 0, &text), "`run` is NULL");
    WRONG(svc_run_next_event(run, 0, &text), "`run` is NULL");
    WRONG(svc_engine_set_policy(engine, "{\"allow\": [\"eats\"]}", &text), "invalid policy");
    WRONG(svc_engine_add_op(engine, "{", silent, NULL, set_freed, &text), "invalid JSON");
    WRONG(svc_engine_add_op(engine, "{\"name\": \"a\", \"returns\": \"number\"}", silent, NULL, set_freed, &text),
          "invalid type `number`");
    WRONG(svc_engine_add_op(engine, "{\"name\": \"upper\", \"returns\": \"int\"}", silent, NULL, set_freed, &text),
          "cannot add `upper`");
    WRONG(svc_engine_add_op(engine, "{\"name\": \"a\", \"returns\": \"int\"}", NULL, NULL, set_freed, &text),
          "`function` is NULL");
    if (freed != 4) {
        fprintf(stderr, "user data of ops that were not added: freed %d times\n", freed);
        return 1;
    }

    fails(engine, "silent", silent, "the function gave no answer");
    fails(engine, "bad_json", bad_json, "the op returned invalid JSON");
    fails(engine, "wrong_type", wrong_type, "wrong result");
    fails(engine, "bad_kind", bad_kind, "unknown kind of error `hopeless`");

    /* A place that is NULL is not written, and NULL is freed without effect. */
    if (svc_run(engine, "1", NULL, NULL, NULL) != SVC_STATUS_OK ||
        svc_run_cancel(NULL) != SVC_STATUS_INPUT || svc_call_is_cancelled(NULL)) {
        return 1;
    }
    svc_string_free(NULL), svc_run_free(NULL), svc_plan_free(NULL), svc_engine_free(NULL);

    /* The result is taken once. */
    char *text = NULL;
    if (svc_start(engine, "1", NULL, NULL, &run, NULL) != SVC_STATUS_OK) {
        return 1;
    }
    svc_run_join(run, -1, &text);
    svc_string_free(text);
    WRONG(svc_run_join(run, -1, &text), "already taken");
    svc_run_free(run);

    /* A run that is freed is cancelled. */
    if (svc_start(engine, "1 >> wait(duration: 1h)", NULL, NULL, &run, NULL) != SVC_STATUS_OK) {
        return 1;
    }
    svc_run_free(run);
    svc_engine_free(engine);
    return 0;
}
