/*
 * A C program that embeds svc: `make run`.
 *
 * It checks a wrong script, runs one with params, adds an op, hits a cap on money, and cancels a
 * run. Every result is tested, so that it is a test as well.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "svc.h"

/* Ends the program if `text` does not contain `part`; then frees it. */
static void expect(const char *what, SvcStatus status, SvcStatus expected, char *text,
                   const char *part) {
    printf("%s: status %d: %s\n", what, (int)status, text ? text : "NULL");
    if (status != expected || (part && (!text || !strstr(text, part)))) {
        fprintf(stderr, "%s: expected status %d and %s\n", what, (int)expected, part ? part : "-");
        exit(1);
    }
    svc_string_free(text);
}

/* What the op needs: it outlives the calls, which happen on several threads. */
typedef struct {
    double factor;
    atomic_int calls;
} Scorer;

static atomic_int freed;

static void free_scorer(void *data) {
    free(data);
    atomic_fetch_add(&freed, 1);
}

/* The op `crm.score`. A real program would read `arguments` with a JSON library. */
static void score(void *data, const SvcCall *call, const char *arguments) {
    Scorer *scorer = data;
    atomic_fetch_add(&scorer->calls, 1);
    const char *name = strstr(arguments, "\"customer\":\"");
    if (!name || strstr(arguments, "nobody")) {
        svc_call_fail(call, "not_found", "unknown customer", "pass the name of a customer");
        return;
    }
    name += strlen("\"customer\":\"");
    char result[32];
    snprintf(result, sizeof result, "%g", scorer->factor * (double)strcspn(name, "\""));
    svc_call_return(call, result);
}

static void add_op(SvcEngine *engine) {
    Scorer *scorer = malloc(sizeof *scorer);
    if (!scorer) {
        abort();
    }
    scorer->factor = 1.5;
    atomic_init(&scorer->calls, 0);
    const char *declaration = "{\"name\": \"crm.score\", \"returns\": \"float\","
                              " \"effects\": [\"reads crm\"], \"price\": \"$0.01\","
                              " \"doc\": \"Scores a customer.\","
                              " \"params\": [{\"name\": \"customer\", \"type\": \"string\"}]}";
    char *error = NULL;
    SvcStatus status = svc_engine_add_op(engine, declaration, score, scorer, free_scorer, &error);
    expect("add an op", status, SVC_STATUS_OK, error, NULL);
}

/* Reads the events of a run until it waits, cancels it, and joins it. */
static void cancel(SvcEngine *engine) {
    SvcRun *run = NULL;
    char *text = NULL;
    SvcStatus status = svc_start(engine, "1 >> wait(duration: 1h)", NULL, NULL, &run, &text);
    expect("start", status, SVC_STATUS_OK, text, NULL);
    text = NULL;
    status = svc_run_next_event(run, -1, &text);
    expect("the first event", status, SVC_STATUS_OK, text, "\"event\":\"begun\"");
    text = NULL;
    status = svc_run_join(run, 10, &text);
    expect("it is still running", status, SVC_STATUS_WAITING, text, NULL);
    svc_run_cancel(run);
    text = NULL;
    status = svc_run_join(run, -1, &text);
    expect("cancelled", status, SVC_STATUS_RUN, text, "\"kind\":\"cancelled\"");
    svc_run_free(run);
}

int main(void) {
    printf("svc %s\n", svc_version());
    SvcEngine *engine = svc_engine_new();
    char *text = NULL;

    SvcStatus status = svc_check(engine, "[\"a\"] >> each { uper }", NULL, &text);
    expect("a wrong script", status, SVC_STATUS_CHECK, text, "did you mean `upper`?");

    const char *script = "param words: [string]  words >> each { trim >> upper }";
    text = NULL;
    status = svc_run(engine, script, "{\"words\": [\" a\", \"b \"]}", NULL, &text);
    expect("a run with params", status, SVC_STATUS_OK, text, "\"value\":[\"A\",\"B\"]");

    add_op(engine);
    script = "param names: [string]  names >> each { crm.score }";
    const char *inputs = "{\"names\": [\"ada\", \"grace\"]}";
    text = NULL;
    status = svc_run(engine, script, inputs, "{\"max_cost\": \"$0.02\"}", &text);
    expect("an op", status, SVC_STATUS_OK, text, "\"value\":[4.5,7.5]");

    text = NULL;
    status = svc_run(engine, script, inputs, "{\"max_cost\": \"$0.01\"}", &text);
    expect("a cap on money", status, SVC_STATUS_RUN, text, "\"kind\":\"budget\"");

    text = NULL;
    status = svc_run(engine, "\"nobody\" >> crm.score", NULL, NULL, &text);
    expect("an op that fails", status, SVC_STATUS_RUN, text, "unknown customer");

    text = NULL;
    status = svc_engine_set_policy(engine, "{\"allow\": []}", &text);
    expect("a policy", status, SVC_STATUS_OK, text, NULL);
    text = NULL;
    status = svc_check(engine, script, NULL, &text);
    expect("a denied effect", status, SVC_STATUS_CHECK, text, "E315");

    SvcPlan *plan = NULL;
    text = NULL;
    status = svc_plan_new(engine, "param n: int  n + 1", NULL, &plan, &text);
    expect("a plan", status, SVC_STATUS_OK, text, NULL);
    text = NULL;
    status = svc_plan_json(plan, &text);
    expect("the plan as JSON", status, SVC_STATUS_OK, text, "\"nodes\":");
    for (int n = 1; n <= 2; n++) {
        SvcRun *run = NULL;
        char params[32], value[32];
        snprintf(params, sizeof params, "{\"n\": %d}", n);
        snprintf(value, sizeof value, "\"value\":%d", n + 1);
        text = NULL;
        status = svc_start_plan(engine, plan, params, NULL, &run, &text);
        expect("start a plan", status, SVC_STATUS_OK, text, NULL);
        text = NULL;
        status = svc_run_join(run, -1, &text);
        expect("run a plan", status, SVC_STATUS_OK, text, value);
        svc_run_free(run);
    }
    svc_plan_free(plan);

    cancel(engine);
    svc_engine_free(engine);
    /* The runs have ended; soon no thread has the op any more. */
    for (int turn = 0; turn < 500 && !atomic_load(&freed); turn++) {
        thrd_sleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (atomic_load(&freed) != 1) {
        fprintf(stderr, "the user data of the op was not freed\n");
        return 1;
    }
    return 0;
}
