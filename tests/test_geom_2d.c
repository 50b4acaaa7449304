// Contacts of shapes of the plane, against closed forms and properties on random input.
#include "plane.h"

static MrnTouches touch(const MrnShape *a, MrnPose pose_a, const MrnShape *b, MrnPose pose_b, double margin) {
    MrnTouches touches = {0};
    mrn_touch_2d(a, &pose_a, b, &pose_b, margin, &touches);
    for (size_t i = 0; i < touches.count; i++) {
        const MrnTouch *t = &touches.data[i];
        assert_true(isfinite(t->position.x) && isfinite(t->position.y) && isfinite(t->gap));
        assert_close(hypot(t->normal.x, t->normal.y), 1.0, 1e-12, "length of a normal");
        assert_true(t->gap < margin);
        if (i) assert_true(touches.data[i - 1].feature < t->feature);
    }
    return touches;
}

static double smallest_gap(const MrnTouches *touches) {
    double gap = INFINITY;
    for (size_t i = 0; i < touches->count; i++) gap = fmin(gap, touches->data[i].gap);
    return gap;
}

static const MrnTouch *with_feature(const MrnTouches *touches, uint64_t feature) {
    for (size_t i = 0; i < touches->count; i++)
        if (touches->data[i].feature == feature) return &touches->data[i];
    return NULL;
}

// --------------------------------------------------------------------------------------------------------

static double point_segment(MrnVec2 p, MrnVec2 a, MrnVec2 b) {
    MrnVec2 e = mrn_sub2(b, a);
    double t = fmin(fmax(mrn_dot2(mrn_sub2(p, a), e) / mrn_dot2(e, e), 0.0), 1.0);
    return mrn_norm2(mrn_sub2(p, mrn_add2(a, mrn_scale2(t, e))));
}

// Distance of two polygons by all pairs of edges; negative when they overlap.
static double true_distance(const MrnShape *a, MrnPose pose_a, const MrnShape *b, MrnPose pose_b) {
    double *va = mrn_alloc(2 * a->vertex_count, sizeof *va), *vb = mrn_alloc(2 * b->vertex_count, sizeof *vb),
           least = INFINITY;
    size_t n = a->vertex_count, m = b->vertex_count;
    for (size_t i = 0; i < n; i++) {
        MrnVec2 v = placed(&pose_a, mrn_vertex2(a->vertices, i));
        va[2 * i] = v.x, va[2 * i + 1] = v.y;
    }
    for (size_t i = 0; i < m; i++) {
        MrnVec2 v = placed(&pose_b, mrn_vertex2(b->vertices, i));
        vb[2 * i] = v.x, vb[2 * i + 1] = v.y;
    }
    bool overlap = mrn_polygon_contains(m, vb, mrn_vertex2(va, 0)) || mrn_polygon_contains(n, va, mrn_vertex2(vb, 0));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            MrnVec2 p = mrn_vertex2(va, i), q = mrn_vertex2(va, (i + 1) % n), r = mrn_vertex2(vb, j),
                    s = mrn_vertex2(vb, (j + 1) % m);
            if (mrn_segments_meet(p, q, r, s)) overlap = true;
            least = fmin(least, fmin(fmin(point_segment(p, r, s), point_segment(q, r, s)),
                                     fmin(point_segment(r, p, q), point_segment(s, p, q))));
        }
    free(va);
    free(vb);
    return overlap ? -1.0 : least;
}

// The smallest gap of random pairs is their distance, and an overlap is always seen.
static void smallest_gap_is_the_distance(int most, bool convex, int trials, double close) {
    int apart = 0, overlapping = 0;
    for (int trial = 0; trial < trials; trial++) {
        double radius_a = convex && trial % 3 == 0 ? uniform(0.01, 0.3) : 0.0,
               radius_b = convex && trial % 5 == 0 ? uniform(0.01, 0.3) : 0.0;
        MrnShape a = random_polygon(most, convex, radius_a), b = random_polygon(most, convex, radius_b);
        double direction = uniform(0, 2 * M_PI), spacing = uniform(0.5, 2.2) * close;
        MrnPose pose_a = pose(spacing * cos(direction), spacing * sin(direction), uniform(0, 6)),
                pose_b = pose(0, 0, uniform(0, 6));
        double distance = true_distance(&a, pose_a, &b, pose_b), margin = 0.3;
        MrnTouches touches = touch(&a, pose_a, &b, pose_b, margin);
        double gap = smallest_gap(&touches);
        if (distance < 0.0) {
            overlapping++;
            if (!(gap < 1e-9)) fail_msg("trial %d: overlap without a negative gap, %g", trial, gap);
        } else if (distance - radius_a - radius_b < margin) {
            apart++;
            assert_close(gap, distance - radius_a - radius_b, 1e-12, "smallest gap");
        } else {
            assert_int_equal(touches.count, 0);
        }
        mrn_array_free(&touches);
        mrn_shape_free(&a);
        mrn_shape_free(&b);
    }
    assert_true(apart > trials / 20 && overlapping > trials / 20);
}

static void smallest_gap_of_convex_polygons_is_their_distance(void **state) {
    (void)state;
    smallest_gap_is_the_distance(9, true, 4000, 1.0);
    smallest_gap_is_the_distance(120, true, 1000, 1.0);
}

static void smallest_gap_of_star_polygons_is_their_distance(void **state) {
    (void)state;
    smallest_gap_is_the_distance(12, false, 4000, 0.8);
    smallest_gap_is_the_distance(200, false, 1000, 0.8);
}

static MrnPose moved(MrnPose p, int component, double step) {
    if (component == 0) p.position.x += step;
    if (component == 1) p.position.y += step;
    if (component == 2) {
        double c = p.rotation.m[0][0], s = p.rotation.m[1][0], dc = cos(step), ds = sin(step);
        p.rotation.m[0][0] = c * dc - s * ds, p.rotation.m[1][0] = s * dc + c * ds;
    }
    return p;
}

// d(gap) = normal relative velocity at the position, for every contact whose name lasts (Moreau 2003, M23).
static int check_gradient(const MrnShape *a, MrnPose pose_a, const MrnShape *b, MrnPose pose_b, double margin) {
    MrnTouches touches = touch(a, pose_a, b, pose_b, margin);
    double step = 1e-6;
    int checked = 0;
    for (int component = 0; component < 6; component++) {
        bool first = component < 3;
        int k = component % 3;
        MrnTouches plus =
            touch(a, first ? moved(pose_a, k, step) : pose_a, b, first ? pose_b : moved(pose_b, k, step), margin);
        MrnTouches minus =
            touch(a, first ? moved(pose_a, k, -step) : pose_a, b, first ? pose_b : moved(pose_b, k, -step), margin);
        for (size_t i = 0; i < touches.count; i++) {
            const MrnTouch *t = &touches.data[i], *p = with_feature(&plus, t->feature),
                           *m = with_feature(&minus, t->feature);
            if (!p || !m) continue;
            // A contact that changes from one edge to the next within the step is not differentiable there.
            if (fabs(p->normal.x - m->normal.x) + fabs(p->normal.y - m->normal.y) > 1e-3) continue;
            const MrnPose *body = first ? &pose_a : &pose_b;
            double lever_x = t->position.x - body->position.x, lever_y = t->position.y - body->position.y;
            double rate = k == 0 ? t->normal.x : k == 1 ? t->normal.y : lever_x * t->normal.y - lever_y * t->normal.x;
            assert_close((p->gap - m->gap) / (2 * step), first ? rate : -rate, 2e-6, "rate of the gap");
            checked++;
        }
        mrn_array_free(&plus);
        mrn_array_free(&minus);
    }
    mrn_array_free(&touches);
    return checked;
}

static void check_swap(const MrnShape *a, MrnPose pose_a, const MrnShape *b, MrnPose pose_b, double margin) {
    MrnTouches one = touch(a, pose_a, b, pose_b, margin), two = touch(b, pose_b, a, pose_a, margin);
    assert_int_equal(one.count, two.count);
    for (size_t i = 0; i < one.count; i++) {
        bool found = false;
        for (size_t j = 0; j < two.count && !found; j++) {
            const MrnTouch *p = &one.data[i], *q = &two.data[j];
            found = fabs(p->gap - q->gap) + fabs(p->position.x - q->position.x) + fabs(p->position.y - q->position.y) +
                        fabs(p->normal.x + q->normal.x) + fabs(p->normal.y + q->normal.y) <
                    1e-10;
        }
        if (!found) fail_msg("contact %zu of %zu has no counterpart when the bodies are swapped", i, one.count);
    }
    mrn_array_free(&one);
    mrn_array_free(&two);
}

// One of each kind; the second of a pair may be an obstacle.
static MrnShape random_shape(int which) {
    MrnShape shape;
    switch (which) {
    case 0: return disc(uniform(0.2, 1.0));
    case 1: return random_polygon(8, true, 0.0);
    case 2: return random_polygon(8, true, 0.2);
    case 3: return random_polygon(12, false, 0.0);
    case 4: return random_polygon(150, false, 0.0);
    case 5:
    case 6: {
        double v[16];
        for (int i = 0; i < 8; i++) v[2 * i] = 0.4 * (i - 3.5) + uniform(-0.1, 0.1), v[2 * i + 1] = uniform(-0.3, 0.3);
        return prepared(MRN_SHAPE_CHAIN, 8, v, which == 5 ? 0.0 : 0.1);
    }
    case 7:
        shape = mrn_shape_defaults(MRN_SHAPE_RING);
        shape.radius = 2.0;
        return shape;
    default: return mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    }
}

static void gap_rate_is_the_normal_velocity_for_every_pair_of_shapes(void **state) {
    (void)state;
    for (int first = 0; first <= 4; first++)
        for (int second = 0; second <= 8; second++) {
            int checked = 0;
            for (int trial = 0; trial < 150; trial++) {
                MrnShape a = random_shape(first), b = random_shape(second);
                a.position[0] = uniform(-0.3, 0.3), a.rotation[0] = uniform(-1, 1);
                b.position[1] = uniform(-0.3, 0.3), b.rotation[0] = uniform(-1, 1);
                double angle = uniform(0, 2 * M_PI), spacing = uniform(0.3, 2.0);
                MrnPose pose_a = pose(3 + spacing * cos(angle), spacing * sin(angle), uniform(0, 6)),
                        pose_b = pose(3, 0, uniform(0, 6));
                checked += check_gradient(&a, pose_a, &b, pose_b, 0.1);
                check_swap(&a, pose_a, &b, pose_b, 0.1);
                mrn_shape_free(&a);
                mrn_shape_free(&b);
            }
            if (checked < 100) fail_msg("only %d rates of shape %d against %d were checked", checked, first, second);
        }
}

static void discs_touch_half_way_between_their_surfaces(void **state) {
    (void)state;
    MrnShape a = disc(1.0), b = disc(0.5);
    MrnTouches t = touch(&a, pose(0, 1.7, 0.3), &b, pose(0, 0, 1.0), 0.5);
    assert_int_equal(t.count, 1);
    assert_close(t.data[0].gap, 0.2, 1e-15, "gap");
    assert_close(t.data[0].position.y, 0.6, 1e-15, "position");
    assert_close(t.data[0].normal.y, 1.0, 0, "normal");
    mrn_array_free(&t);
    t = touch(&a, pose(0, 0, 0), &b, pose(0, 0, 0), 0.1);
    assert_int_equal(t.count, 1);
    assert_close(t.data[0].gap, -1.5, 1e-15, "gap of concentric discs");
    mrn_array_free(&t);
    t = touch(&a, pose(0, 1.6, 0), &b, pose(0, 0, 0), 0.1);
    assert_int_equal(t.count, 0);
}

static void a_block_on_a_block_keeps_its_two_contacts(void **state) {
    (void)state;
    MrnShape block = rectangle(1, 1), base = rectangle(3, 1);
    for (int flush = 0; flush < 2; flush++) {
        const MrnShape *under = flush ? &block : &base;
        MrnTouches rest = touch(&block, pose(0, 1, 0), under, pose(0, 0, 0), 1e-2);
        assert_int_equal(rest.count, 2);
        assert_close(fabs(rest.data[0].position.x - rest.data[1].position.x), 1.0, 1e-12, "width of the support");
        for (int trial = 0; trial < 500; trial++) {
            // Overlaps and gaps, tilts to either side, slides; the flush blocks slide less than their corners tell
            // apart.
            double slide = flush ? uniform(-1e-6, 1e-6) : uniform(-0.5, 0.5);
            MrnPose top = pose(slide, 1 + uniform(-1e-6, 1e-6), uniform(-1e-6, 1e-6));
            MrnTouches t = touch(&block, top, under, pose(0, 0, 0), 1e-2);
            assert_int_equal(t.count, 2);
            for (int i = 0; i < 2; i++) {
                assert_true(t.data[i].feature == rest.data[i].feature);
                assert_close(t.data[i].normal.y, 1.0, 1e-9, "normal");
                assert_close(t.data[i].gap, 0.0, 3e-6, "gap");
            }
            mrn_array_free(&t);
        }
        // A flush stack that overlaps by a good part of its height.
        MrnTouches deep = touch(&block, pose(0, 0.7, 0), under, pose(0, 0, 0), 1e-2);
        assert_int_equal(deep.count, 2);
        for (int i = 0; i < 2; i++)
            assert_close(deep.data[i].gap, -0.3, 1e-12, "deep gap"),
                assert_close(deep.data[i].normal.y, 1, 0, "normal");
        mrn_array_free(&deep);
        mrn_array_free(&rest);
    }
    mrn_shape_free(&block);
    mrn_shape_free(&base);
}

static double signed_magnitude(double low, double high) {
    double size = pow(10, uniform(low, high));
    return uniform(-1, 1) < 0 ? -size : size;
}

// Perturbations of every size down to rounding: never a third contact, never a wrong depth.
static void flush_blocks_have_two_contacts_whatever_the_rounding(void **state) {
    (void)state;
    MrnShape block = rectangle(1, 1);
    for (int trial = 0; trial < 100000; trial++) {
        double p[4];
        for (int k = 0; k < 4; k++) p[k] = uniform(0, 1) < 0.25 ? 0.0 : signed_magnitude(-17, -4);
        MrnTouches t = touch(&block, pose(p[0], 1 + p[1], p[2]), &block, pose(0, 0, p[3]), 1e-2);
        assert_int_equal(t.count, 2);
        for (int i = 0; i < 2; i++) {
            assert_true(t.data[i].normal.y > 0.99);
            assert_close(t.data[i].gap, 0.0, 3 * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + fabs(p[3])) + 1e-12, "gap");
        }
        mrn_array_free(&t);
    }
    mrn_shape_free(&block);
}

// From apart, move A towards B by a little more than the distance: nothing is then deeper than that little, so no gap
// may say so.
static void a_small_overlap_gives_only_small_depths(void **state) {
    (void)state;
    int overlapping = 0;
    for (int trial = 0; trial < 12000; trial++) {
        bool convex = trial % 3 == 0;
        MrnShape a = random_polygon(trial % 2 ? 8 : 30, convex, 0.0),
                 b = random_polygon(trial % 2 ? 8 : 30, convex, 0.0);
        double angle = uniform(0, 2 * M_PI), turn_a = uniform(0, 6), turn_b = uniform(0, 6), far = 2.2,
               over = pow(10, uniform(-10, -2));
        // March in to within 1e-12 of touching.
        for (int k = 0; k < 60; k++) {
            double distance =
                true_distance(&a, pose(far * cos(angle), far * sin(angle), turn_a), &b, pose(0, 0, turn_b));
            assert_true(distance >= 0.0);
            if (distance < 1e-12) break;
            far -= 0.9 * distance;
        }
        far -= over;
        MrnTouches t = touch(&a, pose(far * cos(angle), far * sin(angle), turn_a), &b, pose(0, 0, turn_b), 1e-3);
        overlapping += smallest_gap(&t) < 0.0;
        if (t.count && smallest_gap(&t) < -4.5 * over)
            fail_msg("trial %d: moved by %g, but a gap is %g", trial, over, smallest_gap(&t));
        mrn_array_free(&t);
        mrn_shape_free(&a);
        mrn_shape_free(&b);
    }
    assert_true(overlapping > 10000);
}

static void a_block_half_off_its_base_rests_on_the_corner_of_the_base(void **state) {
    (void)state;
    MrnShape block = rectangle(1, 1);
    for (int trial = 0; trial < 200; trial++) {
        double offset = uniform(0.1, 0.9), overlap = uniform(-1e-3, 1e-3);
        MrnTouches t = touch(&block, pose(offset, 1 - overlap, 0), &block, pose(0, 0, 0), 1e-2);
        assert_int_equal(t.count, 2);
        double low = fmin(t.data[0].position.x, t.data[1].position.x),
               high = fmax(t.data[0].position.x, t.data[1].position.x);
        assert_close(low, offset - 0.5, 1e-12, "left end");
        assert_close(high, 0.5, 1e-12, "right end");
        for (int i = 0; i < 2; i++)
            assert_close(t.data[i].gap, -overlap, 1e-12, "gap"), assert_close(t.data[i].normal.y, 1, 1e-15, "normal");
        mrn_array_free(&t);
    }
    mrn_shape_free(&block);
}

static void two_tips_meet_with_a_finite_normal_between_them(void **state) {
    (void)state;
    MrnShape square = rectangle(1, 1);
    double half = sqrt(0.5), offsets[] = {0, 1e-12, -1e-12, 1e-3, -1e-3},
           gaps[] = {1e-3, 1e-9, 1e-15, 0, -1e-15, -1e-9, -1e-6, -1e-3, -0.05};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (size_t j = 0; j < sizeof gaps / sizeof *gaps; j++) {
            if (fabs(offsets[i]) == gaps[j] && gaps[j] == 1e-3) continue; // side by side: two faces on one line go by
            MrnTouches t =
                touch(&square, pose(offsets[i], 2 * half + gaps[j], M_PI / 4), &square, pose(0, 0, M_PI / 4), 1e-2);
            assert_true(t.count > 0);
            for (size_t k = 0; k < t.count; k++) {
                // The normal cones reach 45 degrees to either side of the axis.
                assert_true(t.data[k].normal.y > half - 1e-9);
                assert_true(fabs(t.data[k].position.x) <= fabs(offsets[i]) + fabs(gaps[j]) + 1e-12);
            }
            if (fabs(offsets[i]) < 1e-9 && fabs(gaps[j]) >= 1e-3) {
                assert_int_equal(t.count, 1);
                assert_close(t.data[0].normal.y, 1.0, 1e-9, "bisector");
                assert_close(t.data[0].gap, gaps[j], 1e-11, "gap along the axis");
            }
            mrn_array_free(&t);
        }
    mrn_shape_free(&square);
}

// A comb: a bar with teeth of this width downwards, one every 2 m.
static MrnShape comb(int teeth, double width) {
    double *v = mrn_alloc(8 * (size_t)teeth + 4, sizeof *v);
    size_t n = 0;
    for (int k = 0; k < teeth; k++) {
        double x = 2 * k;
        double tooth[] = {x, 1, x, 0, x + width, 0, x + width, 1};
        memcpy(v + 2 * n, tooth, sizeof tooth);
        n += 4;
    }
    double right = 2 * teeth - 2 + width;
    v[2 * n] = right, v[2 * n + 1] = 2, n++;
    v[2 * n] = 0, v[2 * n + 1] = 2, n++;
    MrnShape shape = polygon(n, v);
    free(v);
    return shape;
}

static void a_comb_touches_in_all_its_teeth(void **state) {
    (void)state;
    for (int teeth = 2; teeth <= 50; teeth += 8) {
        MrnShape c = comb(teeth, 0.8), floor = rectangle(1000, 1);
        for (int k = 0; k < 3; k++) {
            double overlap = k == 0 ? 0.0 : k == 1 ? 1e-3 : -1e-3;
            MrnTouches t = touch(&c, pose(-3, 0.5 - overlap, 0), &floor, pose(0, 0, 0), 1e-2);
            assert_int_equal(t.count, 2 * teeth);
            for (size_t i = 0; i < t.count; i++)
                assert_close(t.data[i].gap, -overlap, 1e-12, "gap"),
                    assert_close(t.data[i].normal.y, 1, 1e-15, "normal");
            mrn_array_free(&t);
        }
        // Two combs in each other: the tips of both rest on the bar between the teeth of the other, the flanks 0.2 m
        // apart.
        MrnShape other = comb(teeth, 0.8);
        MrnTouches t = touch(&c, pose(0, 0, 0), &other, pose(2 * teeth - 2.2, 1.0, M_PI), 1e-2);
        assert_int_equal(t.count, 4 * (teeth - 1));
        for (size_t i = 0; i < t.count; i++)
            assert_close(t.data[i].gap, 0.0, 1e-12, "gap"), assert_close(t.data[i].normal.y, 1, 1e-12, "normal");
        mrn_array_free(&t);
        t = touch(&c, pose(0, 0, 0), &other, pose(2 * teeth - 2.2, 1.0, M_PI), 0.21);
        assert_true(t.count >= (size_t)(8 * (teeth - 1)));
        mrn_array_free(&t);
        mrn_shape_free(&other);
        mrn_shape_free(&c);
        mrn_shape_free(&floor);
    }
}

static void a_tip_in_a_notch_makes_one_contact_with_each_side(void **state) {
    (void)state;
    MrnShape notch = polygon(7, (double[]){-2, -2, 2, -2, 2, 2, 1, 1, 0, 0, -1, 1, -2, 2});
    assert_int_equal(notch.vertex_count, 5);
    MrnShape needle = polygon(3, (double[]){0, 0, 0.2, 1, -0.2, 1});
    double offsets[] = {0, 1e-13, 1e-9, 1e-4, -1e-4};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            MrnTouches t = touch(&needle, pose(offsets[i], offsets[j], 0), &notch, pose(0, 0, 0), 1e-2);
            assert_int_equal(t.count, 2);
            double h = sqrt(0.5);
            for (int k = 0; k < 2; k++) {
                double side = t.data[k].normal.x > 0 ? 1 : -1;
                assert_close(t.data[k].normal.x, side * h, 1e-12, "normal");
                assert_close(t.data[k].normal.y, h, 1e-12, "normal");
                assert_close(t.data[k].gap, h * (side * offsets[i] + offsets[j]), 1e-12, "gap");
            }
            assert_true(t.data[0].normal.x * t.data[1].normal.x < 0);
            mrn_array_free(&t);
        }
    mrn_shape_free(&notch);
    mrn_shape_free(&needle);
}

// Notches of every opening, the tip off their bottom by every size down to rounding: the two sides hold it, no far side
// does.
static void a_tip_in_any_notch_is_held_by_its_two_sides_alone(void **state) {
    (void)state;
    MrnShape needle = polygon(3, (double[]){0, 0, 0.2, 1, -0.2, 1});
    for (int trial = 0; trial < 30000; trial++) {
        double half = uniform(0.3, 1.4), x = signed_magnitude(-16, -4), y = signed_magnitude(-16, -4);
        double c = cos(half), s = sin(half), tilt = uniform(0, 6);
        MrnShape notch = polygon(7, (double[]){0, 0, -2 * s, 2 * c, -3, 2 * c, -3, -1, 3, -1, 3, 2 * c, 2 * s, 2 * c});
        MrnVec2 offset = mrn_rotate2(cos(tilt), sin(tilt), mrn_vec2(x, y));
        MrnTouches t = touch(&needle, pose(offset.x, offset.y, tilt), &notch, pose(0, 0, tilt), 1e-2);
        // Sides have the normals (c, s) and (-c, s) in the frame of the notch.
        int sides = 0;
        for (size_t i = 0; i < t.count; i++) {
            MrnVec2 n = mrn_rotate2(cos(tilt), -sin(tilt), mrn_vec2(t.data[i].normal.x, t.data[i].normal.y));
            double side = n.x > 0.0 ? 1.0 : -1.0;
            assert_close(n.x, side * c, 1e-9, "normal");
            assert_close(t.data[i].gap, side * c * x + s * y, 1e-12, "gap");
            sides += side > 0.0 ? 1 : 10;
        }
        // Above the bottom of a wide notch the tip may be over one side alone.
        double depth = fmin(c * x + s * y, -c * x + s * y);
        if (depth <= 0.0 || half < M_PI / 4) assert_true(sides == 11 || (depth > -4e-9 && (sides == 1 || sides == 10)));
        assert_true(sides == 1 || sides == 10 || sides == 11);
        mrn_array_free(&t);
        mrn_shape_free(&notch);
    }
    mrn_shape_free(&needle);
}

// Over a convex line of many short edges a disc has one contact at a time, its normal never leaves the arc of the line,
// and the gap is continuous.
static void a_disc_rolls_over_joints_without_a_bump(void **state) {
    (void)state;
    double v[42];
    for (int i = 0; i <= 20; i++) {
        double angle = M_PI / 2 + 0.5 - 0.05 * i;
        v[2 * i] = 10 * cos(angle), v[2 * i + 1] = 10 * sin(angle);
    }
    MrnShape hill = prepared(MRN_SHAPE_CHAIN, 21, v, 0.0), d = disc(0.3);
    double before = NAN;
    for (int k = 0; k <= 4000; k++) {
        double angle = M_PI / 2 + 0.45 - 0.9 * k / 4000, r = 10.3;
        MrnTouches t = touch(&d, pose(r * cos(angle), r * sin(angle), 0), &hill, pose(0, 0, 0), 1e-1);
        assert_int_equal(t.count, 1);
        assert_true(fabs(atan2(t.data[0].normal.y, t.data[0].normal.x) - angle) < 0.026);
        assert_true(t.data[0].gap > -1e-12 && t.data[0].gap < 10 * (1 - cos(0.025)) + 1e-9);
        if (k) assert_true(fabs(t.data[0].gap - before) < 2e-4);
        before = t.data[0].gap;
        mrn_array_free(&t);
    }
    mrn_shape_free(&hill);
    // A closed chain has no tip where it closes, inside or outside.
    MrnShape box = prepared(MRN_SHAPE_CHAIN, 6, (double[]){0, 0, 2, 0, 2, 2, -2, 2, -2, 0, 0, 0}, 0.0);
    for (int k = -10; k <= 10; k++)
        for (int side = -1; side <= 1; side += 2) {
            MrnTouches t = touch(&d, pose(0.01 * k, 0.3 * side, 0), &box, pose(0, 0, 0), 0.05);
            assert_int_equal(t.count, 1);
            assert_close(t.data[0].normal.y, side, 1e-15, "normal at the closing joint");
            assert_close(t.data[0].gap, 0.0, 1e-15, "gap at the closing joint");
            mrn_array_free(&t);
        }
    mrn_shape_free(&box);
}

static void a_block_slides_over_a_flat_joint_on_either_side_of_a_chain(void **state) {
    (void)state;
    MrnShape block = rectangle(1, 1);
    // The middle vertex is flat but for rounding: it may be dropped or not, the block must not notice.
    for (int sagging = -1; sagging <= 1; sagging++) {
        MrnShape line = prepared(MRN_SHAPE_CHAIN, 3, (double[]){-3, 0, 0, sagging * 1e-11, 3, 0}, 0.0);
        for (int side = -1; side <= 1; side += 2)
            for (int k = -100; k <= 100; k++)
                for (int sunk = -1; sunk <= 1; sunk++) {
                    MrnTouches t =
                        touch(&block, pose(0.02 * k, side * (0.5 - 1e-6 * sunk), 0), &line, pose(0, 0, 0), 1e-3);
                    assert_true(t.count >= 2);
                    for (size_t i = 0; i < t.count; i++) {
                        assert_close(t.data[i].normal.y, side, 1e-9, "normal");
                        assert_close(t.data[i].gap, -1e-6 * sunk, 1e-10, "gap");
                    }
                    mrn_array_free(&t);
                }
        mrn_shape_free(&line);
    }
    mrn_shape_free(&block);
}

// The tiles are bodies of their own, so no outline knows that they are level: only their corners tell.
static void a_block_slides_from_tile_to_tile_without_hitting_their_sides(void **state) {
    (void)state;
    MrnShape block = rectangle(1, 1), tile = rectangle(2, 1);
    double seams[] = {0, 1e-9, 1e-6}, sunk[] = {-1e-6, -1e-12, 0, 1e-12, 1e-9, 1e-7, 5e-6};
    int supported = 0;
    for (size_t seam = 0; seam < 3; seam++)
        for (size_t depth = 0; depth < 7; depth++)
            for (int k = -300; k <= 300; k++) {
                double x = 0.005 * k + 1.3e-4;
                for (int which = -1; which <= 1; which += 2) {
                    MrnTouches t = touch(&block, pose(x, 1 - sunk[depth], 0), &tile,
                                         pose(which * (1 + 0.5 * seams[seam]), 0, 0), 1e-2);
                    for (size_t i = 0; i < t.count; i++) {
                        assert_close(t.data[i].normal.y, 1.0, 1e-9, "normal");
                        assert_close(t.data[i].gap, -sunk[depth], 1e-12, "gap");
                        supported++;
                    }
                    mrn_array_free(&t);
                }
            }
    assert_true(supported > 21 * 600);
    // A real step stops it.
    MrnTouches t = touch(&block, pose(-0.505, 0.9999, 0), &tile, pose(1, 0, 0), 1e-2);
    assert_int_equal(t.count, 2);
    for (int i = 0; i < 2; i++)
        assert_close(t.data[i].normal.x, -1.0, 1e-12, "normal"), assert_close(t.data[i].gap, 0.005, 1e-12, "gap");
    mrn_array_free(&t);
    mrn_shape_free(&block);
    mrn_shape_free(&tile);
}

static void polygons_in_a_drum_touch_with_their_corners(void **state) {
    (void)state;
    MrnShape drum = mrn_shape_defaults(MRN_SHAPE_RING), square = rectangle(1, 1);
    drum.radius = 2.0;
    double height = -sqrt(4 - 0.25) + 0.5;
    MrnTouches t = touch(&square, pose(0, height, 0), &drum, pose(0, 0, 1.0), 1e-2);
    assert_int_equal(t.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_close(t.data[i].gap, 0.0, 1e-15, "gap");
        assert_close(hypot(t.data[i].position.x, t.data[i].position.y), 2.0, 1e-15, "position on the ring");
        assert_close(t.data[i].normal.x * t.data[i].position.x + t.data[i].normal.y * t.data[i].position.y, -2.0, 1e-14,
                     "inward normal");
    }
    mrn_array_free(&t);
    mrn_shape_free(&square);
}

// Area common to two convex polygons (Sutherland and Hodgman), as a measure that knows nothing of contacts.
static double common_area(const MrnShape *a, MrnPose pose_a, const MrnShape *b, MrnPose pose_b) {
    double in[512], out[512];
    size_t count = a->vertex_count;
    for (size_t i = 0; i < count; i++) {
        MrnVec2 v = placed(&pose_a, mrn_vertex2(a->vertices, i));
        in[2 * i] = v.x, in[2 * i + 1] = v.y;
    }
    for (size_t j = 0; j < b->vertex_count; j++) {
        MrnVec2 p = placed(&pose_b, mrn_vertex2(b->vertices, j)),
                q = placed(&pose_b, mrn_vertex2(b->vertices, (j + 1) % b->vertex_count));
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            MrnVec2 u = mrn_vertex2(in, i), w = mrn_vertex2(in, (i + 1) % count);
            double du = mrn_cross2(mrn_sub2(q, p), mrn_sub2(u, p)), dw = mrn_cross2(mrn_sub2(q, p), mrn_sub2(w, p));
            if (du >= 0) out[2 * kept] = u.x, out[2 * kept + 1] = u.y, kept++;
            if ((du < 0) != (dw < 0)) {
                double t = du / (du - dw);
                out[2 * kept] = u.x + t * (w.x - u.x), out[2 * kept + 1] = u.y + t * (w.y - u.y), kept++;
            }
        }
        count = kept;
        memcpy(in, out, 2 * count * sizeof *in);
        if (count < 3) return 0.0;
    }
    return mrn_polygon_area(count, in);
}

static void moving_out_along_the_deepest_contact_shrinks_the_overlap(void **state) {
    (void)state;
    int overlapping = 0;
    for (int trial = 0; trial < 3000; trial++) {
        MrnShape a = random_polygon(9, true, 0.0), b = random_polygon(9, true, 0.0);
        double angle = uniform(0, 6.3), spacing = uniform(0.0, 1.8);
        MrnPose pose_a = pose(spacing * cos(angle), spacing * sin(angle), uniform(0, 6)),
                pose_b = pose(0, 0, uniform(0, 6));
        double area = common_area(&a, pose_a, &b, pose_b);
        MrnTouches t = touch(&a, pose_a, &b, pose_b, 1e-3);
        if (area > 1e-9) {
            assert_true(t.count > 0);
            const MrnTouch *deepest = &t.data[0];
            for (size_t i = 1; i < t.count; i++)
                if (t.data[i].gap < deepest->gap) deepest = &t.data[i];
            assert_true(deepest->gap < 0.0);
            MrnPose out = pose_a;
            out.position.x -= deepest->gap * deepest->normal.x, out.position.y -= deepest->gap * deepest->normal.y;
            double left = common_area(&a, out, &b, pose_b);
            double smaller =
                fmin(mrn_polygon_area(a.vertex_count, a.vertices), mrn_polygon_area(b.vertex_count, b.vertices));
            if (area < 0.1 * smaller && !(left < 0.5 * area))
                fail_msg("trial %d: common area %g, after moving out by %g still %g", trial, area, -deepest->gap, left);
            overlapping++;
        } else if (area == 0.0 && t.count) {
            assert_true(smallest_gap(&t) > -1e-9);
        }
        mrn_array_free(&t);
        mrn_shape_free(&a);
        mrn_shape_free(&b);
    }
    assert_true(overlapping > 1000);
}

static void a_disc_deep_in_a_polygon_leaves_by_the_nearest_edge(void **state) {
    (void)state;
    MrnShape wide = rectangle(10, 4), d = disc(0.1), hundred = regular(200, 5.0);
    MrnTouches t = touch(&d, pose(3, 1.5, 0), &wide, pose(0, 0, 0), 1e-3);
    assert_int_equal(t.count, 1);
    assert_close(t.data[0].gap, -0.6, 1e-12, "depth");
    assert_close(t.data[0].normal.y, 1.0, 0, "normal");
    mrn_array_free(&t);
    t = touch(&d, pose(1, 0, 0), &hundred, pose(0, 0, 0), 1e-3);
    assert_int_equal(t.count, 1);
    assert_true(t.data[0].gap < -4.0);
    mrn_array_free(&t);
    mrn_shape_free(&wide);
    mrn_shape_free(&hundred);
}

static void contacts_do_not_depend_on_where_and_how_large_the_scene_is(void **state) {
    (void)state;
    for (int trial = 0; trial < 600; trial++) {
        int first = trial % 5, second = (trial / 5) % 9;
        MrnShape a = random_shape(first), b = random_shape(second);
        double angle = uniform(0, 6.3), spacing = uniform(0.3, 1.8), turn_a = uniform(0, 6), turn_b = uniform(0, 6);
        double scale = pow(10, uniform(-3, 4)), x = uniform(-3, 3), y = uniform(-3, 3), turn = uniform(0, 6);
        double offset_x = spacing * cos(angle), offset_y = spacing * sin(angle);
        MrnTouches one = touch(&a, pose(offset_x, offset_y, turn_a), &b, pose(0, 0, turn_b), 0.1);
        MrnShape large[2] = {mrn_shape_copy(&a), mrn_shape_copy(&b)};
        for (int k = 0; k < 2; k++) {
            large[k].radius *= scale;
            for (size_t i = 0; i < 2 * large[k].vertex_count; i++) large[k].vertices[i] *= scale;
            assert_true(mrn_shape_prepare(&large[k], NULL));
        }
        MrnVec2 offset = mrn_rotate2(cos(turn), sin(turn), mrn_vec2(offset_x, offset_y));
        MrnTouches two = touch(&large[0], pose(scale * (x + offset.x), scale * (y + offset.y), turn_a + turn),
                               &large[1], pose(scale * x, scale * y, turn_b + turn), 0.1 * scale);
        assert_int_equal(one.count, two.count);
        for (size_t i = 0; i < one.count; i++) {
            assert_true(one.data[i].feature == two.data[i].feature);
            assert_close(two.data[i].gap / scale, one.data[i].gap, 1e-12, "gap");
            MrnVec2 p = mrn_rotate2(cos(turn), sin(turn), mrn_vec2(one.data[i].position.x, one.data[i].position.y));
            MrnVec2 n = mrn_rotate2(cos(turn), sin(turn), mrn_vec2(one.data[i].normal.x, one.data[i].normal.y));
            assert_close(two.data[i].position.x / scale, x + p.x, 1e-11, "position");
            assert_close(two.data[i].position.y / scale, y + p.y, 1e-11, "position");
            assert_close(two.data[i].normal.x, n.x, 1e-9, "normal");
        }
        mrn_array_free(&one);
        mrn_array_free(&two);
        for (int k = 0; k < 2; k++) mrn_shape_free(&large[k]);
        mrn_shape_free(&a);
        mrn_shape_free(&b);
    }
}

static void obstacles_do_not_touch_each_other(void **state) {
    (void)state;
    for (int first = 5; first <= 8; first++)
        for (int second = 5; second <= 8; second++) {
            MrnShape a = random_shape(first), b = random_shape(second);
            MrnTouches t = touch(&a, pose(0, 0, 0), &b, pose(0, 0, 0.1), 1.0);
            assert_int_equal(t.count, 0);
            mrn_shape_free(&a);
            mrn_shape_free(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_gap_of_convex_polygons_is_their_distance),
        cmocka_unit_test(smallest_gap_of_star_polygons_is_their_distance),
        cmocka_unit_test(gap_rate_is_the_normal_velocity_for_every_pair_of_shapes),
        cmocka_unit_test(discs_touch_half_way_between_their_surfaces),
        cmocka_unit_test(a_block_on_a_block_keeps_its_two_contacts),
        cmocka_unit_test(flush_blocks_have_two_contacts_whatever_the_rounding),
        cmocka_unit_test(a_small_overlap_gives_only_small_depths),
        cmocka_unit_test(a_block_half_off_its_base_rests_on_the_corner_of_the_base),
        cmocka_unit_test(two_tips_meet_with_a_finite_normal_between_them),
        cmocka_unit_test(a_comb_touches_in_all_its_teeth),
        cmocka_unit_test(a_tip_in_a_notch_makes_one_contact_with_each_side),
        cmocka_unit_test(a_tip_in_any_notch_is_held_by_its_two_sides_alone),
        cmocka_unit_test(a_disc_rolls_over_joints_without_a_bump),
        cmocka_unit_test(a_block_slides_over_a_flat_joint_on_either_side_of_a_chain),
        cmocka_unit_test(a_block_slides_from_tile_to_tile_without_hitting_their_sides),
        cmocka_unit_test(polygons_in_a_drum_touch_with_their_corners),
        cmocka_unit_test(moving_out_along_the_deepest_contact_shrinks_the_overlap),
        cmocka_unit_test(a_disc_deep_in_a_polygon_leaves_by_the_nearest_edge),
        cmocka_unit_test(contacts_do_not_depend_on_where_and_how_large_the_scene_is),
        cmocka_unit_test(obstacles_do_not_touch_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
