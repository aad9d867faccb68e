/* Shifts the wall clock of the server that loads this by LD_PRELOAD: by as many microseconds as the file that
 * BLUEQUE_CLOCK names says. libfaketime cannot be used: it does not get on with jemalloc, which Redis is built with. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const long long *shift;

__attribute__((constructor)) static void load(void) {
  int file = open(getenv("BLUEQUE_CLOCK"), O_RDONLY);
  void *at = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  if (file < 0 || at == MAP_FAILED) _exit(127);
  shift = at;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
  struct timespec now;
  (void)zone;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  long long us = now.tv_sec * 1000000LL + now.tv_nsec / 1000 + (shift ? *shift : 0);
  tv->tv_sec = us / 1000000;
  tv->tv_usec = us % 1000000;
  return 0;
}
