# A thin front for CMake. `make demo` and `make test` set up what they need on a bare Debian 12.
PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD_DIR = build$(if $(filter-out release,$(PRESET)),-$(PRESET))

.PHONY: build setup test demo pictures install docs debug tsan coverage fuzz format format-check clean help
build: configure ## build the command at build/moraine, the library, the tests and the benchmarks
	@cmake --build $(BUILD_DIR) -j $(JOBS)

.PHONY: configure
configure: setup
	@cmake --preset $(PRESET) >/dev/null

setup: ## install the Debian packages that are missing
	@tools/setup

test: build ## build and run the whole test suite
	@tools/setup ffmpeg python3-h5py python3-vtk9
	@# A browser or a signal can come late on a busy machine: a test that fails has a second try, and ctest says so.
	@ctest --test-dir $(BUILD_DIR) --output-on-failure --repeat until-pass:2 -j $(JOBS)

demo: configure ## build, run a scene worth looking at, and leave a picture, a plot and a report in out/demo/
	@cmake --build $(BUILD_DIR) -j $(JOBS) --target moraine-cli
	@tools/demo $(BUILD_DIR)/moraine

pictures: build ## render the pictures of the README into docs/pictures
	@tools/pictures $(BUILD_DIR)/moraine

install: build ## install under PREFIX (default /usr/local)
	@cmake --install $(BUILD_DIR) --prefix $(PREFIX)

docs: build ## write docs/cli.md from the table of commands, docs/scene.md from the schema, docs/validation.md from all cases
	@$(BUILD_DIR)/moraine help --markdown > docs/cli.md
	@cp $(BUILD_DIR)/docs/scene.md docs/scene.md
	@$(BUILD_DIR)/moraine verify --all --markdown > docs/validation.md

debug tsan: ## the test suite under the address and undefined-behaviour sanitizers, or the thread sanitizer
	@$(MAKE) --no-print-directory test PRESET=$@

coverage: ## the test suite with coverage, and a table of it
	@$(MAKE) --no-print-directory test PRESET=coverage
	@tools/setup gcovr
	@gcovr --root . --filter src/ --object-directory build-coverage --print-summary

fuzz: ## build the fuzz targets with libFuzzer
	@tools/setup clang
	@$(MAKE) --no-print-directory build PRESET=fuzz

format: ## lay out all sources
	@tools/setup clang-format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

format-check: ## fail if a source is not laid out as .clang-format says
	@tools/setup clang-format
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

clean: ## remove all build folders and outputs
	rm -rf build build-* out

help: ## this list
	@sed -n 's/^\([a-z -]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18
