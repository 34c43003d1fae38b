/* Loaded before libc: the write, sync or truncation with the number FAIL_AT fails, as FAIL_HOW says.
 * Without FAIL_AT they are counted, and the count is written to FAIL_COUNT at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long seen;

enum how { PASS, KILL, TEAR, FAIL };

static enum how now(void) {
    long at = atomic_fetch_add(&seen, 1) + 1;
    const char *wanted = getenv("FAIL_AT"), *how = getenv("FAIL_HOW");
    if (!wanted || !how) return PASS;
    long point = atol(wanted);
    if (!strcmp(how, "kill")) return at == point ? KILL : PASS;
    if (!strcmp(how, "tear")) return at == point ? TEAR : PASS;
    if (!strcmp(how, "once")) return at == point ? FAIL : PASS;
    return at >= point ? FAIL : PASS;
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld", (long)seen);
    fclose(file);
}

static int refused(void) {
    errno = ENOSPC;
    return -1;
}

typedef ssize_t (*written)(int, const void *, size_t, off_t);

static ssize_t put(const char *name, int fd, const void *data, size_t size, off_t at) {
    written real = (written)dlsym(RTLD_NEXT, name);
    switch (now()) {
    case KILL: _exit(137);
    case TEAR: real(fd, data, size / 2, at); _exit(137);
    case FAIL: return refused();
    default: return real(fd, data, size, at);
    }
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return put("pwrite", fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { return put("pwrite64", fd, data, size, at); }

static int other(const char *name, int fd) {
    switch (now()) {
    case KILL:
    case TEAR: _exit(137);
    case FAIL: return refused();
    default: return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
    }
}

int fsync(int fd) { return other("fsync", fd); }
int fdatasync(int fd) { return other("fdatasync", fd); }

static int cut(const char *name, int fd, off_t size) {
    switch (now()) {
    case KILL:
    case TEAR: _exit(137);
    case FAIL: return refused();
    default: return ((int (*)(int, off_t))dlsym(RTLD_NEXT, name))(fd, size);
    }
}

int ftruncate(int fd, off_t size) { return cut("ftruncate", fd, size); }
int ftruncate64(int fd, off_t size) { return cut("ftruncate64", fd, size); }
