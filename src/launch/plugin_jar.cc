// SPDX-License-Identifier: Apache-2.0
#include "launch/plugin_jar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr char kJarName[] = "sparkprof-spark.jar";

std::vector<fs::path> UsualPlaces() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> places{program.parent_path().parent_path() / "lib" / kJarName};
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "spark-plugin" / "pom.xml", error)) {
      places.push_back(folder / "spark-plugin" / "target" / kJarName);
    }
  }
  return places;
}

}  // namespace

Result<std::string> FindPluginJar(const std::string& chosen) {
  std::error_code error;
  const char* variable = std::getenv("SPARKPROF_PLUGIN_JAR");
  std::vector<fs::path> places;
  if (!chosen.empty()) {
    places = {chosen};
  } else if (variable != nullptr && *variable != '\0') {
    places = {variable};
  } else {
    places = UsualPlaces();
  }
  std::string tried;
  for (const fs::path& place : places) {
    const fs::path path = fs::absolute(place, error).lexically_normal();
    if (fs::is_regular_file(path, error) && access(path.c_str(), R_OK) == 0) return path.string();
    tried += (tried.empty() ? "" : ", ") + path.string();
  }
  return Fail(
      fmt::format("the plugin's jar is missing or unreadable: {}; set its path with --plugin-jar or in "
                  "SPARKPROF_PLUGIN_JAR",
                  tried));
}

}  // namespace sparkprof
