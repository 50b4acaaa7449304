# A thin front for CMake. `make demo` and `make test` set up what they need.
PRESET ?= release
BUILD_DIR = build$(if $(filter-out release,$(PRESET)),-$(PRESET))

.PHONY: demo test build setup clean debug tsan coverage format
build: setup
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build $(BUILD_DIR)
setup:
	@tools/setup
test: build
	@ctest --test-dir $(BUILD_DIR) --output-on-failure -j 2
demo: build
	@tools/demo $(BUILD_DIR)
debug tsan coverage:
	@$(MAKE) --no-print-directory test PRESET=$@
format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i
clean:
	rm -rf build build-*
