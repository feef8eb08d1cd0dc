// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace sparkprof {
namespace {

constexpr const char* kFile = "libduckdb.so";

// Search order. The dynamic loader resolves a name without a slash.
std::vector<std::string> Places() {
  if (const char* const file = std::getenv("SPARKPROF_DUCKDB"); file != nullptr && *file != '\0') return {file};
  std::vector<std::string> places;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    places.push_back((program.parent_path() / kFile).string());
    places.push_back((program.parent_path().parent_path() / "lib" / kFile).string());
  }
  places.emplace_back(kFile);
  return places;
}

Result<DuckdbLibrary> FindFunctions(void* handle, const std::string& place) {
  DuckdbLibrary library;
  const char* missing = nullptr;
#define SPARKPROF_DUCKDB_FIND(name, ...)                                                   \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "duckdb_" #name)); \
  if (library.name == nullptr) missing = "duckdb_" #name;
  SPARKPROF_DUCKDB_FUNCTIONS(SPARKPROF_DUCKDB_FIND)
#undef SPARKPROF_DUCKDB_FIND
  if (missing != nullptr) {
    return Fail(fmt::format("cannot use {}: it has no function {} (use DuckDB 1.4.4)", place, missing));
  }
  return library;
}

Result<DuckdbLibrary> Load() {
  std::vector<std::string> tried;
  for (const std::string& place : Places()) {
    if (void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
      return FindFunctions(handle, place);
    }
    const char* const error = dlerror();
    std::error_code ignored;
    // The loader's message names an existing file; for a missing one the place alone is clearer.
    const bool exists = std::filesystem::exists(place, ignored);
    tried.push_back(exists && error != nullptr ? error : place);
  }
  return Fail(
      fmt::format("cannot load DuckDB's library, tried {} (run `make build`, or set SPARKPROF_DUCKDB to a {} of "
                  "DuckDB 1.4.4, as in the npm package @duckdb/node-bindings-linux-x64)",
                  fmt::join(tried, ", "), kFile));
}

}  // namespace

Result<const DuckdbLibrary*> LoadDuckdb() {
  static std::mutex mutex;
  static DuckdbLibrary loaded;
  const std::scoped_lock lock(mutex);
  if (loaded.open_ext == nullptr) {
    const Result<DuckdbLibrary> library = Load();
    if (!library) return Fail(library.error().message);
    loaded = *library;
  }
  return &loaded;
}

}  // namespace sparkprof
