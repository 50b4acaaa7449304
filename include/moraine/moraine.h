// Moraine: nonsmooth contact dynamics. This header includes all the others.
#ifndef MORAINE_MORAINE_H
#define MORAINE_MORAINE_H

#include <moraine/error.h>
#include <moraine/shape.h>
#include <moraine/model.h>
#include <moraine/solver.h>
#include <moraine/lcp.h>
#include <moraine/world.h>
#include <moraine/scene.h>
#include <moraine/run.h>

#endif
