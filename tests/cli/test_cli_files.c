// What the command makes of a run for other programs and people: export, report, movie. What they write, what they
// refuse, and that nothing is left half-written.
//
// Arguments: path of the command, folder of the sources.
#include "cli_support.h"

#include "problem/fclib.h"

static const char spheres[] = "title: Three <balls> & a box\ndimension: 3\ngravity: 0 0 -9.81 m/s2\n"
                              "time: {step: 1 ms, end: 60 ms, output: 10 ms}\n"
                              "materials: [{name: stone, density: 2500 kg/m3}]\nlaws: [{friction: 0.5}]\n"
                              "bodies:\n"
                              "  - {name: floor, kind: fixed, shape: {plane: 0 0 1}}\n"
                              "  - {name: low, shape: {sphere: 10 cm}, position: 0 0 0.1 m}\n"
                              "  - {name: high, shape: {sphere: 5 cm}, position: 0.02 0 0.252 m, birth: 20 ms}\n"
                              "  - {name: 'a, \"box\"', shape: {box: 0.1 0.2 0.1 m}, position: 0.5 0 0.06 m}\n";

static void make_runs(void) {
    if (access("two.h5", R_OK) == 0) return;
    write_file("two.yaml", two_balls);
    write_file("three.yaml", spheres);
    Outcome outcome = shell("$M run two.yaml -q && $M run three.yaml -q");
    expect_code(&outcome, 0, "run");
    done(&outcome);
}

/// The lines of this shell command's output.
static size_t count_lines(const char *line) {
    Outcome outcome = shell(line);
    size_t count = 0;
    for (const char *c = outcome.out; *c; c++) count += *c == '\n';
    done(&outcome);
    return count;
}

static void nothing_half_written(const char *where) {
    char line[256];
    snprintf(line, sizeof line, "find %s -name '*.partial'", where);
    assert_int_equal(count_lines(line), 0);
}

static bool have(const char *line) {
    Outcome outcome = shell(line);
    bool there = outcome.exit_code == 0;
    done(&outcome);
    return there;
}

static void export_writes_the_files_it_names(void **state) {
    (void)state;
    make_runs();
    json_t *object = moraine_json("export two.h5 --to vtk --json", 0);
    assert_string_equal(text_of(object, "open"), "two-vtk/bodies.pvd");
    assert_int_equal(number_of(object, "frames"), 11);
    // bodies, centres and contacts for each frame, obstacles once, and four collections
    assert_int_equal(number_of(object, "files"), 3 * 11 + 1 + 4);
    assert_int_equal(count_lines("find two-vtk -type f"), number_of(object, "files"));
    json_decref(object);
    object = moraine_json("export two.h5 --to csv --json -o deep/er --frames 2:8 --every 3", 0);
    assert_int_equal(number_of(object, "frames"), 3);
    json_decref(object);
    // 3 frames of 3 bodies below the names
    assert_int_equal(count_lines("cat deep/er/motion.csv"), 1 + 3 * 3);
    assert_int_equal(count_lines("cat deep/er/steps.csv"), 1 + 100);
    assert_int_equal(count_lines("grep -c ' $' deep/er/*.csv | grep -v ':0'"), 0);
    object = moraine_json("export two.h5 --to geojson --json --frames -1", 0);
    assert_string_equal(text_of(object, "open"), "two-geojson/frame-000010.geojson");
    json_t *page = json_load_file("two-geojson/frame-000010.geojson", 0, NULL);
    assert_non_null(page);
    assert_int_equal(json_array_size(json_object_get(page, "features")), 2);
    json_decref(page);
    json_decref(object);
    nothing_half_written(".");
}

static void exported_problem_is_the_one_that_the_run_solved(void **state) {
    (void)state;
    make_runs();
    Outcome outcome = shell("$M run gallery:stack -o stack.h5 --force --until 0.05 --dump-problem 20 -q && "
                            "$M export stack.h5 --to fclib --step 20 -q");
    expect_code(&outcome, 0, "export a problem");
    done(&outcome);
    MrnError error = {0};
    MrnProblem *a = NULL, *b = NULL;
    double *guess_a = NULL, *guess_b = NULL, *impulse = NULL;
    assert_true(mrn_fclib_read("stack-step-20.hdf5", &a, &guess_a, &error));
    assert_true(mrn_fclib_read("stack-fclib/step-00000020.hdf5", &b, &guess_b, &error));
    assert_int_equal(a->contacts, b->contacts);
    size_t n = a->contacts * (size_t)a->dimension;
    assert_memory_equal(a->free_velocity, b->free_velocity, n * sizeof(double));
    assert_memory_equal(a->friction, b->friction, a->contacts * sizeof(double));
    assert_memory_equal(guess_a, guess_b, n * sizeof(double));
    assert_int_equal(a->delassus->start[a->delassus->rows], b->delassus->start[b->delassus->rows]);
    assert_memory_equal(a->delassus->value, b->delassus->value,
                        a->delassus->start[a->delassus->rows] * (size_t)(a->dimension * a->dimension) * sizeof(double));
    assert_true(mrn_fclib_read_solution("stack-fclib/step-00000020.hdf5", b, &impulse, &error));
    free(impulse);
    free(guess_a);
    free(guess_b);
    mrn_problem_free(a);
    mrn_problem_free(b);
    // Frames are steps too; the first one is none.
    json_t *object = moraine_json("export stack.h5 --to fclib --frames 0: --json -o frames", 0);
    assert_int_equal(number_of(object, "frames"), number_of(object, "files"));
    assert_true(number_of(object, "files") >= 1);
    json_decref(object);
    nothing_half_written(".");
}

static void report_holds_everything_and_escapes_what_it_shows(void **state) {
    (void)state;
    make_runs();
    json_t *object = moraine_json("report three.h5 --json", 0);
    assert_string_equal(text_of(object, "output"), "three-report.html");
    assert_string_equal(text_of(object, "verdict"), "sound");
    char *page = read_file("three-report.html");
    assert_int_equal(number_of(object, "bytes"), strlen(page));
    json_decref(object);
    assert_non_null(strstr(page, "<title>Three &lt;balls&gt; &amp; a box</title>"));
    assert_null(strstr(page, "<balls>"));
    static const char *const ids[] = {"verdict", "charts", "certificates", "scene", "performance", "reproduce"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "<section id=\"%s\">", ids[i]);
        if (!strstr(page, wanted)) fail_msg("no %s", wanted);
    }
    assert_non_null(strstr(page, "moraine run three.yaml"));
    // Nothing is fetched: every reference is inside the page.
    static const char *const outside[] = {"http://", "https://", "src=\"/", "@import", "url("};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (strstr(page, outside[i])) fail_msg("the page refers to %s", outside[i]);
    free(page);
    // A run that was stopped early and one without steps have reports too.
    Outcome outcome = shell("$M run two.yaml --until 0 -o none.h5 -q; $M report none.h5 && "
                            "$M run two.yaml --until 0.03 -o part.h5 -q && $M report part.h5 --no-pictures");
    expect_code(&outcome, 0, "report of a part");
    assert_non_null(strstr(outcome.out, "Nothing was computed yet."));
    done(&outcome);
    nothing_half_written(".");
}

static void movie_makes_a_film_of_the_asked_length(void **state) {
    (void)state;
    make_runs();
    if (!have("command -v ffmpeg")) {
        print_message("skipped: no ffmpeg\n");
        return;
    }
    json_t *object = moraine_json("movie two.h5 --json --width 320 --fps 20", 0);
    assert_int_equal(number_of(object, "pictures"), 11);
    assert_int_equal(number_of(object, "width"), 320);
    assert_int_equal(number_of(object, "height"), 180);
    assert_true(fabs(number_of(object, "length") - 11 / 20.0) < 1e-12);
    assert_true(fabs(number_of(object, "speed") - 0.2) < 1e-9); // 10 ms each at 20 per second
    json_decref(object);
    // 100 ms at a tenth of real time are 1 s.
    object = moraine_json("movie three.h5 --json --width 200 --height 120 --fps 10 --speed 0.06 --smooth --color-by "
                          "velocity -o three.gif",
                          0);
    assert_int_equal(number_of(object, "pictures"), 11);
    json_decref(object);
    char *film = read_file("three.gif");
    assert_memory_equal(film, "GIF89a", 6);
    free(film);
    if (have("command -v ffprobe")) {
        Outcome outcome =
            shell("ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 "
                  "two.mp4");
        assert_string_equal(outcome.out, "320,180,11\n");
        done(&outcome);
    }
    nothing_half_written(".");
}

static void what_cannot_be_made_says_why_and_leaves_nothing(void **state) {
    (void)state;
    make_runs();
    static const struct {
        const char *arguments, *message;
        int code;
    } cases[] = {
        {"export two.h5", "moraine: export wants --to vtk, csv, geojson or fclib (see moraine export --help)\n", 2},
        {"export two.h5 --to vkt", "moraine: option --to does not know 'vkt'; did you mean 'vtk'?\n", 2},
        {"export two.h5 --to stl", "moraine: option --to wants vtk, csv, geojson or fclib, not 'stl'\n", 2},
        {"export two.h5 --to csv --frames 3-4",
         "moraine: option --frames wants a number or a range like 10:20, not '3-4'\n", 2},
        {"export two.h5 --to csv --step 3", "moraine: option --step goes with --to fclib\n", 2},
        {"export two.h5 --to csv --frames 5:40", "moraine: no frames 5 to 40: the run has 11, from 0 to 10\n", 1},
        {"export two.h5 --to vtk --detail 3", "moraine: a circle in 3 pieces: must be from 6 to 360\n", 1},
        {"export two.h5 --to fclib --step 101", "moraine: no step 101: the run has 100, from 1\n", 1},
        {"export two.h5 --to fclib --frames 0", "moraine: the frames that were asked for come before the first step\n",
         1},
        {"export three.h5 --to geojson -o flat",
         "moraine: GeoJSON describes figures in the plane, and this run is in 3D; export it to vtk\n", 1},
        {"export two.yaml --to csv", "moraine: two.yaml is not a run file\n", 1},
        {"export nosuch.h5 --to csv", "moraine: nosuch.h5: No such file or directory\n", 1},
        {"export two.h5 --to csv -o two.yaml",
         "moraine: two.yaml: cannot make the folder: a file of that name is there\n", 1},
        {"export two.h5 --to csv -o /proc/moraine",
         "moraine: /proc/moraine: cannot make the folder: No such file or directory\n", 1},
        {"report nosuch.h5", "moraine: nosuch.h5: No such file or directory\n", 1},
        {"report two.h5 -o no/such/page.html", "moraine: no/such/page.html: cannot write: No such file or directory\n",
         1},
        {"report two.h5 -o /dev/full", "moraine: /dev/full: cannot write: No space left on device\n", 1},
        {"movie two.h5 -o film.avi", "moraine: film.avi: the name of a film must end in .mp4, .webm or .gif\n", 1},
        {"movie two.h5 --fps 1000", "moraine: 1000 pictures per second: must be from 1 to 240\n", 1},
        {"movie two.h5 --smooth", "moraine: option --smooth goes with --speed\n", 2},
        {"movie two.h5 --color-by mood", "moraine: option --color-by does not know 'mood' (see moraine movie --help)\n",
         2},
        {"movie two.h5 --speed 1e-9", "moraine: a film of 3e+09 pictures: raise the speed\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Outcome outcome = moraine(cases[i].arguments);
        expect_code(&outcome, cases[i].code, cases[i].arguments);
        assert_string_equal(outcome.err, cases[i].message);
        assert_string_equal(outcome.out, "");
        done(&outcome);
    }
    assert_int_equal(access("film.avi", F_OK), -1);
    nothing_half_written(".");
    Outcome outcome = shell("MORAINE_FFMPEG=no-such-program $M movie two.h5 -o none.mp4 --width 200");
    expect_code(&outcome, 1, "no ffmpeg");
    assert_string_equal(outcome.err, "moraine: films are made with ffmpeg, and 'no-such-program' is not there: install "
                                     "the package ffmpeg\n");
    done(&outcome);
    outcome = shell("MORAINE_FFMPEG=false $M movie two.h5 -o none.mp4 --width 200");
    expect_code(&outcome, 1, "an ffmpeg that fails");
    assert_string_equal(outcome.err, "moraine: none.mp4: ffmpeg could not write the film: no reason given\n");
    done(&outcome);
    assert_int_equal(access("none.mp4", F_OK), -1);
    nothing_half_written(".");
}

static void a_cut_off_run_is_refused_or_exported_up_to_its_last_commit(void **state) {
    (void)state;
    make_runs();
    Outcome outcome =
        shell("head -c 20000 two.h5 >cut.h5; for c in 'export --to csv' 'export --to vtk' report movie; do "
              "$M $c cut.h5; echo $?; done");
    // Whatever is left of the file: a message each time, exit code 1, and no crash.
    assert_string_equal(outcome.out, "1\n1\n1\n1\n");
    assert_null(strstr(outcome.err, "ERROR: AddressSanitizer"));
    done(&outcome);
    nothing_half_written(".");
}

/// A small file system of its own would need rights; a limit on the size of files does as well.
static void a_full_disk_leaves_no_part_of_an_export(void **state) {
    (void)state;
    make_runs();
    Outcome outcome = shell("trap '' XFSZ; ulimit -f 4; $M export two.h5 --to csv -o full");
    expect_code(&outcome, 1, "export to a full disk");
    assert_non_null(strstr(outcome.err, "cannot write: File too large"));
    done(&outcome);
    nothing_half_written("full");
    assert_int_equal(count_lines("ls full/motion.csv full/contacts.csv 2>/dev/null"), 0);
}

static void json_objects_hold_the_documented_fields_and_no_other(void **state) {
    (void)state;
    make_runs();
    EXPECT_DOCUMENTED("export", "export two.h5 --to csv --json");
    EXPECT_DOCUMENTED("report", "report two.h5 --json");
    if (have("command -v ffmpeg")) EXPECT_DOCUMENTED("movie", "movie two.h5 --json --width 200");
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: test_cli_files COMMAND SOURCES\n"), 2;
    program = argv[1], sources = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(export_writes_the_files_it_names),
        cmocka_unit_test(exported_problem_is_the_one_that_the_run_solved),
        cmocka_unit_test(report_holds_everything_and_escapes_what_it_shows),
        cmocka_unit_test(movie_makes_a_film_of_the_asked_length),
        cmocka_unit_test(what_cannot_be_made_says_why_and_leaves_nothing),
        cmocka_unit_test(a_cut_off_run_is_refused_or_exported_up_to_its_last_commit),
        cmocka_unit_test(a_full_disk_leaves_no_part_of_an_export),
        cmocka_unit_test(json_objects_hold_the_documented_fields_and_no_other),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
