// The command as a user meets it: what it accepts, what it refuses and how, what it prints, and its exit codes.
//
// Runs the built command in a temporary folder. Arguments: path of the command, folder of the sources.
#include "cli_support.h"

#include "problem/fclib.h"

// ---- usage ----

/// One contact pressed with u_n = -1 and pushed sideways: sticks when mu is large enough.
static void write_problem(const char *path) {
    unlink(path);
    MrnProblem *problem = mrn_problem_new(3, 1);
    problem->friction[0] = 0.8;
    problem->free_velocity[0] = -1, problem->free_velocity[1] = 0.5, problem->free_velocity[2] = 0;
    problem->body_count = 1, problem->dof = 6;
    problem->bodies = mrn_alloc(2, sizeof *problem->bodies);
    problem->bodies[0] = 0, problem->bodies[1] = -1;
    problem->jacobian = mrn_alloc_zero(36, sizeof *problem->jacobian);
    for (int i = 0; i < 3; i++) problem->jacobian[6 * i + i] = 1;
    MrnError error = {0};
    if (!mrn_fclib_write(path, problem, NULL, "one contact", &error)) fail_msg("%s", error.message);
    mrn_problem_free(problem);
}

static void wrong_usage_exits_2_names_the_word_and_points_to_help(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"rum", "moraine: there is no command 'rum'; did you mean 'run'? (see moraine --help)\n"},
        {"chekc", "moraine: there is no command 'chekc'; did you mean 'check'? (see moraine --help)\n"},
        {"solver", "moraine: there is no command 'solver'; did you mean 'solve'? (see moraine --help)\n"},
        {"xyzzy", "moraine: there is no command 'xyzzy' (see moraine --help)\n"},
        {"''", "moraine: there is no command '' (see moraine --help)\n"},
        {"-x", "moraine: there is no option -x (see moraine --help)\n"},
        {"--jason", "moraine: there is no option --jason; did you mean --json? (see moraine --help)\n"},
        {"run", "moraine: run wants SCENE (see moraine run --help)\n"},
        {"run ''", "moraine: run: an empty name (see moraine run --help)\n"},
        {"run a b", "moraine: run takes SCENE; 'b' is too much (see moraine run --help)\n"},
        {"solvers x", "moraine: solvers takes no 'x' (see moraine solvers --help)\n"},
        {"run a --thread", "moraine: option --threads wants a value: N (see moraine run --help)\n"},
        {"run a -o", "moraine: option --output wants a value: RUN.h5 (see moraine run --help)\n"},
        {"run a --treads 2",
         "moraine: there is no option --treads; did you mean --threads? (see moraine run --help)\n"},
        {"run a --threads 0",
         "moraine: option --threads wants a whole number from 1 to 1024, not '0' (see moraine run --help)\n"},
        {"run a --threads 2x",
         "moraine: option --threads wants a whole number from 1 to 1024, not '2x' (see moraine run --help)\n"},
        {"run a --threads 99999999999",
         "moraine: option --threads wants a whole number from 1 to 1024, not '99999999999' (see moraine run --help)\n"},
        {"run a --until nan",
         "moraine: option --until wants a time >= 0, for example 2.5 or 500 ms, not 'nan' (see moraine run --help)\n"},
        {"run a --until -1",
         "moraine: option --until wants a time >= 0, for example 2.5 or 500 ms, not '-1' (see moraine run --help)\n"},
        {"run a --until '3 m'",
         "moraine: option --until wants a time >= 0, for example 2.5 or 500 ms, not '3 m' (see moraine run --help)\n"},
        {"run a --set x", "moraine: option --set wants path=value, for example solver.tolerance=1e-8, not 'x' (see "
                          "moraine run --help)\n"},
        {"run a --set =x", "moraine: option --set wants path=value, for example solver.tolerance=1e-8, not '=x' (see "
                           "moraine run --help)\n"},
        {"run a --json=yes", "moraine: option --json takes no value (see moraine run --help)\n"},
        {"run a --no-output -o b", "moraine: --output and --no-output exclude each other\n"},
        {"solve a --tol 0", "moraine: option --tol wants a number > 0, not '0' (see moraine solve --help)\n"},
        {"solve a --tol inf", "moraine: option --tol wants a number > 0, not 'inf' (see moraine solve --help)\n"},
        {"new -o x.yaml", "moraine: --output wants the KIND of scene to write (see moraine new --help)\n"},
        {"help rum", "moraine: there is no command 'rum' (see moraine --help)\n"},
        {"help run --man", "moraine: help takes one of COMMAND, --man, --markdown and --bash-completion\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Outcome outcome = moraine(cases[i].arguments);
        expect_code(&outcome, 2, cases[i].arguments);
        assert_string_equal(outcome.err, cases[i].message);
        assert_string_equal(outcome.out, "");
        done(&outcome);

        // The same with --json: still exit code 2, and the message as one object.
        char line[256];
        snprintf(line, sizeof line, "--json %s", cases[i].arguments);
        if (strstr(line, "--json=") || strstr(line, "--jason")) continue;
        outcome = moraine(line);
        expect_code(&outcome, 2, line);
        json_t *object = only_object(&outcome, line);
        char message[512];
        const char *said = text_of(object, "error");
        snprintf(message, sizeof message, "moraine: %s\n", said ? said : "");
        assert_string_equal(message, cases[i].message);
        json_decref(object);
        done(&outcome);
    }
}

static void without_a_command_help_goes_to_standard_error(void **state) {
    (void)state;
    Outcome outcome = moraine("");
    expect_code(&outcome, 2, "no command");
    assert_string_equal(outcome.out, "");
    assert_non_null(strstr(outcome.err, "Usage: moraine COMMAND"));
    done(&outcome);
}

static void what_cannot_be_done_exits_1_and_names_the_file(void **state) {
    (void)state;
    write_file("text.txt", "this is no scene: [\n");
    write_file("empty", "");
    write_problem("problem.hdf5");
    write_file("two.yaml", two_balls);
    Outcome made = moraine("run two.yaml -o short.h5 -q --until 0.01");
    expect_code(&made, 0, "a short run");
    done(&made);
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"run nosuch.yaml", "nosuch.yaml"},
        {"run gallery:nosuch", "nosuch"},
        {"run text.txt", "text.txt:"},
        {"run empty", "empty"},
        {"check nosuch.yaml", "nosuch.yaml"},
        {"check text.txt", "text.txt:"},
        {"check /", "/"},
        {"resume nosuch.h5", "moraine: nosuch.h5: No such file or directory\n"},
        {"resume text.txt", "moraine: text.txt is not a run file; to start a scene: moraine run\n"},
        {"info nosuch", "moraine: nosuch: No such file or directory\n"},
        {"info /", "moraine: /: Is a directory\n"},
        {"info text.txt", "text.txt"},
        {"info empty", "moraine: empty is neither a run file nor an FCLIB problem nor a scene\n"},
        {"run problem.hdf5", "moraine: problem.hdf5 is an FCLIB problem, not a scene; to solve it: moraine solve\n"},
        {"check short.h5", "moraine: short.h5 is a run file, not a scene; to go on with it: moraine resume\n"},
        {"solve nosuch", "moraine: nosuch: No such file or directory\n"},
        {"solve text.txt", "moraine: text.txt is not an FCLIB problem: it is not an HDF5 file\n"},
        {"solve problem.hdf5 --solver nosuch", "moraine: there is no solver 'nosuch'; moraine solvers lists them\n"},
        {"solve problem.hdf5 --solver nlsg", "moraine: there is no solver 'nlsg'; did you mean 'nlgs'?\n"},
        {"solve problem.hdf5 --option relaxation=3", "relaxation"},
        {"solve problem.hdf5 -o text.txt",
         "moraine: text.txt exists and is not an FCLIB file; choose another with --output\n"},
        {"new nosuch", "moraine: there is no starter scene 'nosuch'; moraine new lists them\n"},
        {"new falling-block", "moraine: there is no starter scene 'falling-block'; did you mean 'falling-blocks'?\n"},
        {"new arch -o no/such/folder", "moraine: no/such/folder: No such file or directory\n"},
        {"new arch -o text.txt", "moraine: text.txt exists already; give --force to replace it\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Outcome outcome = moraine(cases[i].arguments);
        expect_code(&outcome, 1, cases[i].arguments);
        if (!strstr(outcome.err, cases[i].message)) fail_msg("%s: %s", cases[i].arguments, outcome.err);
        assert_memory_equal(outcome.err, "moraine: ", 9);
        assert_string_equal(outcome.out, "");
        done(&outcome);
        char line[256];
        snprintf(line, sizeof line, "%s --json", cases[i].arguments);
        json_t *object = moraine_json(line, 1);
        assert_int_equal(json_object_size(object), 1);
        assert_non_null(text_of(object, "error"));
        json_decref(object);
    }
}

static void options_may_stand_anywhere_and_be_shortened(void **state) {
    (void)state;
    static const char *const lines[] = {
        "new arch --output a.yaml --json", "--json new --output=a.yaml --force arch", "new --js -o a.yaml -f -- arch",
        "new -foa.yaml --json arch",       "-- new arch -fo a.yaml --json",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (i == 0) unlink("a.yaml");
        json_t *object = moraine_json(lines[i], 0);
        assert_string_equal(text_of(object, "name"), "arch");
        assert_string_equal(text_of(object, "output"), "a.yaml");
        json_decref(object);
    }
    Outcome outcome = shell("POSIXLY_CORRECT=1 $M new arch --json");
    expect_code(&outcome, 0, "POSIXLY_CORRECT");
    json_decref(only_object(&outcome, "POSIXLY_CORRECT"));
    done(&outcome);
}

// ---- help and manual ----

static void every_command_explains_itself(void **state) {
    (void)state;
    json_t *help = moraine_json("help --json", 0), *commands = json_object_get(help, "commands"), *command;
    size_t index;
    assert_true(json_array_size(commands) >= 10);
    json_array_foreach(commands, index, command) {
        char line[128];
        snprintf(line, sizeof line, "%s --help", text_of(command, "name"));
        Outcome outcome = moraine(line);
        expect_code(&outcome, 0, line);
        assert_string_equal(outcome.err, "");
        assert_non_null(strstr(outcome.out, "Usage: moraine "));
        assert_non_null(strstr(outcome.out, "Examples:\n  "));
        assert_non_null(strstr(outcome.out, "--json"));
        for (const char *c = outcome.out; *c; c += strcspn(c, "\n") + (c[strcspn(c, "\n")] == '\n'))
            if (strcspn(c, "\n") > 100) fail_msg("%s: a long line: %.*s", line, (int)strcspn(c, "\n"), c);
        snprintf(line, sizeof line, "help %s", text_of(command, "name"));
        Outcome same = moraine(line);
        assert_string_equal(same.out, outcome.out);
        done(&same);
        done(&outcome);
    }
    json_decref(help);
}

static void the_manual_in_markdown_has_every_command(void **state) {
    (void)state;
    json_t *help = moraine_json("help --json", 0), *command;
    Outcome outcome = moraine("help --markdown");
    size_t index;
    json_array_foreach(json_object_get(help, "commands"), index, command) {
        char heading[128];
        snprintf(heading, sizeof heading, "\n## moraine %s\n", text_of(command, "name"));
        assert_non_null(strstr(outcome.out, heading));
    }
    done(&outcome);
    json_decref(help);
}

static void the_manual_page_has_every_command_and_no_bare_hyphen(void **state) {
    (void)state;
    json_t *help = moraine_json("help --json", 0), *command;
    Outcome outcome = moraine("help --man");
    size_t index;
    json_array_foreach(json_object_get(help, "commands"), index, command) {
        char heading[128];
        snprintf(heading, sizeof heading, ".SS moraine %s", text_of(command, "name"));
        assert_non_null(strstr(outcome.out, heading));
    }
    assert_null(strstr(outcome.out, " --"));
    done(&outcome);
    json_decref(help);
}

static void bash_completes_commands_options_and_names(void **state) {
    (void)state;
    static const struct {
        const char *words, *wanted;
    } cases[] = {
        {"moraine re", "resume\n"},
        {"moraine run --unt", "--until\n"},
        {"moraine new pile", "pile-of-spheres\n"},
        {"moraine solve x --solver nl", "nlgs"},
        {"moraine run --set blocks", ""},
        {"moraine run some-sc", "some-scene.yaml\n"},
        {"moraine resume some-r", "some-run.h5\n"},
    };
    write_file("some-scene.yaml", "");
    write_file("some-run.h5", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[1024];
        snprintf(line, sizeof line,
                 "bash -c 'compopt() { :; }; source <($M help --bash-completion); COMP_WORDS=(%s); "
                 "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _moraine; "
                 "printf \"%%s\\n\" \"${COMPREPLY[@]}\"'",
                 cases[i].words);
        Outcome outcome = shell(line);
        expect_code(&outcome, 0, cases[i].words);
        if (strncmp(outcome.out, cases[i].wanted, strlen(cases[i].wanted)) != 0)
            fail_msg("%s: %s%s", cases[i].words, outcome.out, outcome.err);
        done(&outcome);
    }
}

static void the_version_lists_the_parts(void **state) {
    (void)state;
    json_t *object = moraine_json("--version --json", 0);
    assert_non_null(text_of(object, "version"));
    assert_non_null(json_object_get(json_object_get(object, "parts"), "HDF5"));
    assert_non_null(json_object_get(json_object_get(object, "parts"), "cairo"));
    json_decref(object);
}

// ---- scenes ----

static void every_starter_scene_is_right_and_runs(void **state) {
    (void)state;
    json_t *list = moraine_json("new --json", 0), *starter;
    size_t index;
    assert_true(json_array_size(json_object_get(list, "starters")) >= 6);
    json_array_foreach(json_object_get(list, "starters"), index, starter) {
        char line[256];
        snprintf(line, sizeof line,
                 "$M new %s -o starter.yaml --force -q && $M check starter.yaml -q && $M run starter.yaml --until 0.02 "
                 "--no-output -q",
                 text_of(starter, "name"));
        Outcome outcome = shell(line);
        expect_code(&outcome, 0, line);
        assert_string_equal(outcome.out, "");
        assert_string_equal(outcome.err, "");
        done(&outcome);
    }
    json_decref(list);
}

static void check_describes_and_refuses_overlap(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    json_t *object = moraine_json("check two.yaml --json", 0);
    assert_int_equal(number_of(object, "bodies"), 3);
    assert_int_equal(number_of(object, "steps"), 100);
    assert_int_equal(number_of(object, "frames"), 11);
    assert_int_equal(number_of(json_object_get(object, "free"), "disc"), 2);
    assert_int_equal(number_of(json_object_get(object, "fixed"), "half-plane"), 1);
    assert_true(fabs(number_of(object, "mass") - 2 * 1000 * 3.14159265358979 * 0.01) < 1e-9 * 63);
    json_decref(object);

    Outcome outcome = moraine("check two.yaml --set bodies.high.position='0 0.25 m'");
    expect_code(&outcome, 1, "overlap");
    assert_non_null(strstr(outcome.err, "low"));
    assert_non_null(strstr(outcome.err, "high"));
    assert_string_equal(outcome.out, "");
    done(&outcome);

    outcome = shell("cat two.yaml | $M check - -q");
    expect_code(&outcome, 0, "standard input");
    done(&outcome);
    outcome = moraine("check - </dev/null");
    expect_code(&outcome, 1, "empty standard input");
    assert_non_null(strstr(outcome.err, "<standard input>:"));
    done(&outcome);

    outcome = moraine("check two.yaml --set solver.name=nlsg");
    expect_code(&outcome, 1, "unknown solver");
    assert_non_null(strstr(outcome.err, "nlsg"));
    done(&outcome);
    outcome = moraine("check two.yaml --set solver.name=nlgs --set solver.options.relaxatoin=1");
    expect_code(&outcome, 1, "unknown option of the solver");
    assert_non_null(strstr(outcome.err, "relaxatoin"));
    done(&outcome);
}

static void bricks_that_touch_do_not_overlap(void **state) {
    (void)state;
    write_file(
        "wall.yaml",
        "dimension: 2\ngravity: 0 -9.81 m/s2\ntime: {end: 10 ms}\nmaterials: [{name: brick, density: 1800 kg/m2}]\n"
        "laws: [{friction: 0.6}]\nbodies: [{name: ground, kind: fixed, shape: {half_plane: 0 1}}]\n"
        "generate: [{name: brick, wall: {brick: 24 12 cm, courses: 4, bricks: 3}}]\n");
    Outcome outcome = moraine("run wall.yaml --no-output -q");
    expect_code(&outcome, 0, "a wall without gaps");
    done(&outcome);
}

static void run_writes_a_file_named_after_the_scene(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    unlink("two.h5");
    json_t *object = moraine_json("run two.yaml --json", 0);
    assert_string_equal(text_of(object, "output"), "two.h5");
    assert_int_equal(number_of(object, "steps"), 100);
    assert_int_equal(number_of(object, "unsolved_steps"), 0);
    assert_true(number_of(object, "residual_max") < 1e-4);
    assert_int_equal(strlen(text_of(object, "state_hash")), 16);
    json_t *info = moraine_json("info two.h5 --json", 0);
    assert_string_equal(text_of(info, "kind"), "run");
    assert_int_equal(number_of(info, "steps"), 100);
    assert_true(number_of(info, "residual_max") == number_of(object, "residual_max"));
    assert_true(number_of(info, "contacts_max") == number_of(object, "contacts_max"));
    json_decref(info);
    json_decref(object);
}

static void run_does_not_replace_what_is_not_a_run_file(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    Outcome outcome = moraine("run two.yaml -o two.yaml");
    expect_code(&outcome, 1, "overwrite the scene");
    assert_string_equal(
        outcome.err, "moraine: two.yaml exists and is not a run file; choose another with --output, or give --force\n");
    done(&outcome);
    char *kept = read_file("two.yaml");
    assert_string_equal(kept, two_balls);
    free(kept);
    outcome = moraine("run two.yaml -o no/such/folder/two.h5");
    expect_code(&outcome, 1, "missing folder");
    assert_non_null(strstr(outcome.err, "no/such/folder"));
    done(&outcome);
}

static void the_hash_does_not_depend_on_threads_or_on_a_stop_in_between(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    json_t *whole = moraine_json("run two.yaml --json -o whole.h5", 0);
    json_t *threads = moraine_json("run two.yaml --json -o threads.h5 --threads 2", 0);
    assert_string_equal(text_of(whole, "state_hash"), text_of(threads, "state_hash"));
    json_decref(moraine_json("run two.yaml --json -o part.h5 --until '40 ms'", 0));
    json_t *rest = moraine_json("resume part.h5 --json --until 0.1 --threads 2", 0);
    assert_string_equal(text_of(whole, "state_hash"), text_of(rest, "state_hash"));
    assert_int_equal(number_of(rest, "steps"), 100);
    json_decref(rest);
    json_decref(threads);
    json_decref(whole);
}

static void unsolved_steps_exit_3(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    Outcome outcome =
        moraine("run two.yaml --no-output --json --set solver.max_iterations=1 --set solver.tolerance=1e-15");
    expect_code(&outcome, 3, "one sweep only");
    json_t *object = only_object(&outcome, "one sweep only");
    assert_true(number_of(object, "unsolved_steps") > 0);
    assert_non_null(strstr(outcome.err, "did not reach the tolerance"));
    json_decref(object);
    done(&outcome);
}

static void a_signal_stops_with_a_checkpoint_and_the_run_resumes(void **state) {
    (void)state;
    static const struct {
        int number;
        const char *name;
    } signals[] = {{SIGINT, "interrupted.h5"}, {SIGTERM, "terminated.h5"}};
    write_file("two.yaml", two_balls);
    json_t *whole = moraine_json("run two.yaml --json --no-output --until 3", 0);
    for (size_t i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666),
                err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
            dup2(out, 1), dup2(err, 2);
            execl(program, program, "run", "two.yaml", "--until", "1e9", "-o", signals[i].name, "--json", (char *)NULL);
            _exit(127);
        }
        usleep(300000);
        assert_int_equal(kill(child, signals[i].number), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i].number);
        Outcome outcome = {0, read_file("out"), read_file("err")};
        json_t *object = only_object(&outcome, "stopped run");
        assert_true(json_is_true(json_object_get(object, "stopped")));
        char hint[128];
        snprintf(hint, sizeof hint, "go on with: moraine resume %s", signals[i].name);
        if (!strstr(outcome.err, hint)) fail_msg("no hint: %s", outcome.err);
        double reached = number_of(object, "time");
        json_decref(object);
        done(&outcome);
        if (reached > 3) continue; // a fast machine: nothing to compare with
        char line[128];
        snprintf(line, sizeof line, "resume %s --until 3 --json", signals[i].name);
        json_t *rest = moraine_json(line, 0);
        assert_string_equal(text_of(whole, "state_hash"), text_of(rest, "state_hash"));
        json_decref(rest);
    }
    json_decref(whole);
}

static void plot_draws_pictures_and_curves(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    json_decref(moraine_json("run two.yaml --json", 0));
    static const struct {
        const char *arguments, *output, *head;
    } cases[] = {
        {"plot two.h5 picture", "two-picture.png", "\x89PNG"},
        {"plot two.h5 picture --time '42 ms' --color-by velocity --forces none --dark -o a.svg", "a.svg", "<?xml"},
        {"plot two.h5 energy -o e.pdf", "e.pdf", "%PDF"},
        {"plot two.h5 two.h5 residual --width 800", "two-residual.png", "\x89PNG"},
        {"plot two.h5 coordination -o z.svg", "z.svg", "<?xml"},
        {"plot two.h5 two.h5 coordination --from '20 ms' -o z.csv.png", "z.csv.png", "\x89PNG"},
        {"plot two.h5 energy -o e.csv", "e.csv", "# kinetic, potential, total"},
        {"plot two.h5 x=time y=granular_temperature", "two-x-time-y-granular_temperature.png", "\x89PNG"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(cases[i].output);
        Outcome outcome = moraine(cases[i].arguments);
        expect_code(&outcome, 0, cases[i].arguments);
        char *drawn = read_file(cases[i].output);
        assert_memory_equal(drawn, cases[i].head, strlen(cases[i].head));
        free(drawn);
        done(&outcome);
    }
    json_t *object = moraine_json("plot two.h5 picture --json --time 0.042", 0);
    assert_true(fabs(number_of(object, "time") - 0.04) < 1e-9); // frames are 10 ms apart
    json_decref(object);
    object = moraine_json("plot two.h5 picture --json --time 99", 0);
    assert_true(fabs(number_of(object, "time") - 0.1) < 1e-9);
    json_decref(object);
    static const struct {
        const char *arguments, *message;
        int code;
    } wrong[] = {
        {"plot energy", "moraine: plot wants RUN.h5 before energy\n", 2},
        {"plot x=time y=energy", "moraine: plot wants RUN.h5 before x=time y=energy\n", 2},
        {"plot two.h5 y=energy", "moraine: wanted x=NAME y=NAME, not 'y=energy'\n", 1},
        {"plot two.h5 x=time y=energy:warm", "moraine: energy has no column 'warm'\n", 1},
        {"plot two.h5 picture -o p.csv", "moraine: a picture cannot be written as numbers\n", 2},
        {"plot two.h5 two.h5 energy -o p.csv", "moraine: a csv file holds one run\n", 2},
        {"plot two.h5 coordination --from 2",
         "moraine: coordination: there is nothing to measure in this window and region\n", 1},
        {"plot two.h5 coordination --from 2 --to 1", "moraine: the window of time from 2 s to 1 s is empty\n", 1},
        {"plot two.h5 coordination --region box:0:1",
         "moraine: option --region wants box:X,Y:X,Y (two corners) or disc:X,Y:R in this run, not 'box:0:1'\n", 1},
        {"plot two.h5 coordination --region box:0,0:1,0", "moraine: the region is empty along y: from 0 m to 0 m\n", 1},
        {"plot two.h5 coordination --along z",
         "moraine: option --along wants x or y, or 2 numbers with commas, not 'z'\n", 1},
        {"plot two.h5 enrgy",
         "moraine: 'enrgy' cannot be plotted; did you mean 'energy'? moraine plot lists what can\n", 2},
        {"plot two.h5 picture --color-by mood",
         "moraine: option --color-by does not know 'mood' (see moraine plot --help)\n", 2},
        {"plot two.h5 two.h5 picture", "moraine: a picture shows one run\n", 2},
        {"plot two.yaml energy", "moraine: two.yaml is not a run file\n", 1},
        {"plot nosuch.h5 energy", "moraine: nosuch.h5: No such file or directory\n", 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Outcome outcome = moraine(wrong[i].arguments);
        expect_code(&outcome, wrong[i].code, wrong[i].arguments);
        assert_string_equal(outcome.err, wrong[i].message);
        done(&outcome);
    }
    Outcome outcome = moraine("plot two.h5 energy -o e.gif");
    expect_code(&outcome, 1, "unknown format");
    done(&outcome);
    outcome = moraine("plot two.h5 picture -o no/such/folder.png");
    expect_code(&outcome, 1, "missing folder");
    assert_non_null(strstr(outcome.err, "no/such/folder.png"));
    done(&outcome);
}

/// A disc that bounces on a floor, and a square beside it when `square`.
static void write_bounce(const char *path, bool square) {
    char text[900];
    snprintf(text, sizeof text,
             "title: bounce\ndimension: 2\ngravity: [0, -10 m/s2]\ntime: {step: 0.2 ms, end: 0.15 s}\n"
             "materials: [{name: m, density: 1000 kg/m2}]\nlaws: [{restitution: 0.5}]\n"
             "dem: {normal_stiffness: 1e8 N/m, substeps_per_collision: 200}\nbodies:\n"
             "  - {name: floor, kind: fixed, shape: {rectangle: [4 m, 1 m]}, position: [0, -0.5 m]}\n"
             "  - {name: ball, shape: {disc: 10 cm}, position: [0, 0.15 m]}\n%s",
             square ? "  - {name: square, shape: {rectangle: [10 cm, 10 cm]}, position: [1 m, 0.2 m]}\n" : "");
    write_file(path, text);
}

static void compare_sets_methods_side_by_side(void **state) {
    (void)state;
    write_bounce("bounce.yaml", false);
    unlink("bounce-compare.png");
    json_t *object = moraine_json("compare bounce.yaml --with moreau-jean,event-driven,dem --json", 0);
    json_t *methods = json_object_get(object, "methods");
    assert_int_equal(json_array_size(methods), 3);
    assert_string_equal(text_of(object, "first"), "moreau-jean");
    // Falls 5 cm in 0.1 s, then rises for 0.05 s to its top.
    for (size_t i = 0; i < 3; i++) {
        json_t *row = json_array_get(methods, i);
        assert_true(json_is_true(json_object_get(row, "done")));
        // The event-driven stepper collides a hundredth of the size of the body early: 3.5 % of the fall.
        double lost = 1000 * M_PI * 0.01 * 0.5 * 0.75;
        assert_true(fabs(number_of(row, "dissipated_energy") - lost) < (i == 1 ? 0.04 : 0.01) * lost);
        assert_true(number_of(row, "max_distance") < 2e-3);
        assert_true(number_of(row, "rms_distance") <= number_of(row, "max_distance") * (1 + 1e-12));
    }
    json_t *smooth = json_array_get(methods, 2);
    assert_true(json_is_null(json_object_get(smooth, "residual_max")));
    assert_true(number_of(smooth, "penetration_max") > 1e-5);
    assert_true(number_of(smooth, "substeps") > 10 * number_of(smooth, "steps"));
    char *drawn = read_file("bounce-compare.png");
    assert_memory_equal(drawn, "\x89PNG", 4);
    free(drawn);
    json_decref(object);

    // A method that cannot run the scene says why; the others go on.
    write_bounce("square.yaml", true);
    object = moraine_json("compare square.yaml --with dem,moreau-jean/nlgs,nlgs --json -o square.svg", 0);
    methods = json_object_get(object, "methods");
    assert_false(json_is_true(json_object_get(json_array_get(methods, 0), "done")));
    assert_non_null(strstr(text_of(json_array_get(methods, 0), "reason"), "'square' is a polygon"));
    assert_true(json_is_null(json_object_get(json_array_get(methods, 0), "cpu_seconds")));
    assert_string_equal(text_of(object, "first"), "moreau-jean/nlgs");
    assert_true(number_of(json_array_get(methods, 2), "max_distance") == 0); // the same method by another name
    json_decref(object);
    Outcome outcome = moraine("compare square.yaml --with dem,moreau-jean --no-picture --until 0.01");
    expect_code(&outcome, 0, "table");
    assert_non_null(strstr(outcome.out, "dem cannot run this scene: dem: free bodies must be single discs"));
    assert_non_null(strstr(outcome.out, "CPU time"));
    done(&outcome);

    // All fail, or a step does not converge: exit code 3.
    static const char *const unsolved[] = {
        "compare square.yaml --with dem,dem/nlgs --no-picture",
        "compare two.yaml --with moreau-jean,nlgs --no-picture --set solver.max_iterations=1 --set "
        "solver.tolerance=1e-15"};
    write_file("two.yaml", two_balls);
    for (size_t i = 0; i < 2; i++) {
        outcome = moraine(unsolved[i]);
        expect_code(&outcome, 3, unsolved[i]);
        done(&outcome);
    }
    static const struct {
        const char *arguments, *message;
    } wrong[] = {
        {"compare bounce.yaml", "moraine: compare wants --with and names, for example --with moreau-jean,dem\n"},
        {"compare bounce.yaml --with dem",
         "moraine: --with wants at least two names, for example --with moreau-jean,dem\n"},
        {"compare bounce.yaml --with dem,dem", "moraine: 'dem' is given twice\n"},
        {"compare bounce.yaml --with dme,nlgs",
         "moraine: 'dme' is neither a stepper nor a solver; did you mean 'dem'?\n"},
        {"compare bounce.yaml --with moreau-jean/nlsg,dem",
         "moraine: 'nlsg' is neither a stepper nor a solver; did you mean 'nlgs'?\n"},
        {"compare bounce.yaml --with dem,moreau-jean --no-picture -o a.png",
         "moraine: --output and --no-picture exclude each other\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        outcome = moraine(wrong[i].arguments);
        expect_code(&outcome, 2, wrong[i].arguments);
        assert_string_equal(outcome.err, wrong[i].message);
        done(&outcome);
    }
}

static void a_full_disk_is_an_error_not_a_silence(void **state) {
    (void)state;
    Outcome outcome = shell("$M new arch > /dev/full");
    expect_code(&outcome, 1, "/dev/full");
    assert_string_equal(outcome.err, "moraine: cannot write to standard output: No space left on device\n");
    done(&outcome);
}

// ---- problems ----

static void any_step_of_a_run_can_be_solved_again_alone(void **state) {
    (void)state;
    json_t *object = moraine_json("run gallery:stack -o dumped.h5 --force --until 0.02 --dump-problem 10 --json", 0);
    assert_int_equal(number_of(object, "dumped_step"), 10);
    assert_string_equal(text_of(object, "dumped"), "dumped-step-10.hdf5");
    json_decref(object);
    object = moraine_json("solve dumped-step-10.hdf5 --json --tol 1e-8", 0);
    assert_string_equal(text_of(object, "status"), "solved");
    assert_true(number_of(object, "contacts") >= 40);
    json_decref(object);
    // A step that does not converge is written without being asked for.
    object = moraine_json(
        "run gallery:stack -o hard.h5 --force --until 0.01 --set solver.name=nlgs --set solver.max_iterations=1 --json",
        3);
    assert_true(number_of(object, "dumped_step") >= 1);
    assert_int_equal(access(text_of(object, "dumped"), R_OK), 0);
    json_decref(object);
}

static void solve_certifies_an_fclib_problem_and_writes_its_solution(void **state) {
    (void)state;
    unlink("solution.hdf5");
    write_problem("problem.hdf5");
    json_t *object = moraine_json("solve problem.hdf5 --json --solver nlgs --tol 1e-12 -o solution.hdf5", 0);
    assert_string_equal(text_of(object, "status"), "solved");
    assert_int_equal(number_of(object, "contacts"), 1);
    assert_int_equal(number_of(object, "dimension"), 3);
    assert_true(number_of(object, "residual") < 1e-12);
    json_decref(object);
    // u = p + q = 0 with p = (1, -0.5, 0), inside the cone of 0.8.
    MrnError error = {0};
    MrnProblem *problem = NULL;
    double *impulse = NULL;
    assert_true(mrn_fclib_read("solution.hdf5", &problem, NULL, &error));
    assert_true(mrn_fclib_read_solution("solution.hdf5", problem, &impulse, &error));
    assert_true(fabs(impulse[0] - 1) < 1e-12 && fabs(impulse[1] + 0.5) < 1e-12 && fabs(impulse[2]) < 1e-12);
    free(impulse);
    mrn_problem_free(problem);
    object = moraine_json("info problem.hdf5 --json", 0);
    assert_string_equal(text_of(object, "kind"), "problem");
    assert_true(number_of(object, "friction_max") == 0.8);
    json_decref(object);
    Outcome outcome = moraine("resume problem.hdf5");
    expect_code(&outcome, 1, "resume a problem");
    assert_string_equal(outcome.err,
                        "moraine: problem.hdf5 is an FCLIB problem, not a run file; to solve it: moraine solve\n");
    done(&outcome);
}

static void json_objects_hold_the_documented_fields_and_no_other(void **state) {
    (void)state;
    write_file("two.yaml", two_balls);
    write_problem("problem.hdf5");
    EXPECT_DOCUMENTED("run", "run two.yaml --json");
    EXPECT_DOCUMENTED("resume", "resume two.h5 --json");
    EXPECT_DOCUMENTED("check", "check two.yaml --json");
    EXPECT_DOCUMENTED("new", "new --json", "new arch --json");
    EXPECT_DOCUMENTED("gallery", "gallery --json");
    EXPECT_DOCUMENTED("solve", "solve problem.hdf5 --json");
    EXPECT_DOCUMENTED("solvers", "solvers --json");
    json_decref(moraine_json("run two.yaml --json -o three.h5 --set title=Three", 0));
    EXPECT_DOCUMENTED("info", "info three.h5 --json", "info problem.hdf5 --json");
    EXPECT_DOCUMENTED("plot", "plot --json", "plot two.h5 --json", "plot two.h5 picture --json",
                      "plot two.h5 coordination --json");
    EXPECT_DOCUMENTED("compare", "compare two.yaml --with moreau-jean,dem,event-driven --json");
    EXPECT_DOCUMENTED("help", "help --json");
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: test_cli COMMAND SOURCES\n"), 2;
    program = argv[1], sources = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_exits_2_names_the_word_and_points_to_help),
        cmocka_unit_test(without_a_command_help_goes_to_standard_error),
        cmocka_unit_test(what_cannot_be_done_exits_1_and_names_the_file),
        cmocka_unit_test(options_may_stand_anywhere_and_be_shortened),
        cmocka_unit_test(every_command_explains_itself),
        cmocka_unit_test(the_manual_in_markdown_has_every_command),
        cmocka_unit_test(the_manual_page_has_every_command_and_no_bare_hyphen),
        cmocka_unit_test(bash_completes_commands_options_and_names),
        cmocka_unit_test(the_version_lists_the_parts),
        cmocka_unit_test(every_starter_scene_is_right_and_runs),
        cmocka_unit_test(check_describes_and_refuses_overlap),
        cmocka_unit_test(bricks_that_touch_do_not_overlap),
        cmocka_unit_test(run_writes_a_file_named_after_the_scene),
        cmocka_unit_test(run_does_not_replace_what_is_not_a_run_file),
        cmocka_unit_test(the_hash_does_not_depend_on_threads_or_on_a_stop_in_between),
        cmocka_unit_test(unsolved_steps_exit_3),
        cmocka_unit_test(a_signal_stops_with_a_checkpoint_and_the_run_resumes),
        cmocka_unit_test(plot_draws_pictures_and_curves),
        cmocka_unit_test(compare_sets_methods_side_by_side),
        cmocka_unit_test(a_full_disk_is_an_error_not_a_silence),
        cmocka_unit_test(any_step_of_a_run_can_be_solved_again_alone),
        cmocka_unit_test(solve_certifies_an_fclib_problem_and_writes_its_solution),
        cmocka_unit_test(json_objects_hold_the_documented_fields_and_no_other),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
