// Killed runs of real scenes: a process that gets SIGKILL at any moment, resumed as often as it takes, ends with the bits of the run that was
// never disturbed, in 2D and 3D, for any number of threads.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants those first
#include <cmocka.h>
#include <moraine/run.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

static const char discs[] = "dimension: 2\n"
                            "gravity: [0, -9.81 m/s2]\n"
                            "time: {step: 1 ms, end: 0.4 s, output: 7 ms, checkpoint: 5 ms}\n"
                            "solver: {name: nlgs}\n"
                            "materials: [{name: stone, density: 2400 kg/m2}]\n"
                            "laws: [{friction: 0.4, normal_restitution: 0.2}]\n"
                            "bodies:\n"
                            "  - {name: ground, kind: fixed, shape: {half-plane: {}}}\n"
                            "generate:\n"
                            "  - grid: {count: [8, 6], spacing: [0.21 m, 0.21 m], origin: [0 m, 0.12 m], shape: {disc: {radius: 0.1 m}}}\n";

static const char boxes[] = "dimension: 3\n"
                            "gravity: [0, 0, -9.81 m/s2]\n"
                            "time: {step: 2 ms, end: 0.3 s, output: 10 ms, checkpoint: 5 ms}\n"
                            "solver: {name: nlgs}\n"
                            "materials: [{name: stone, density: 2400 kg/m3}]\n"
                            "laws: [{friction: 0.4}]\n"
                            "bodies:\n"
                            "  - {name: ground, kind: fixed, shape: {plane: {}}}\n"
                            "generate:\n"
                            "  - grid: {count: [2, 2, 4], spacing: [0.25 m, 0.25 m, 0.22 m], origin: [0 m, 0 m, 0.12 m], shape: {box: {sides: [0.2 m, 0.2 m, 0.2 m]}}}\n";
