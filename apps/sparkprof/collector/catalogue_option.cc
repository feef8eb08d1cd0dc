// SPDX-License-Identifier: Apache-2.0
#include "catalogue_option.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/io/private_file.h"
#include "base/text/text.h"
#include "catalogue/clickhouse/clickhouse_catalogue.h"
#include "catalogue/duckdb/duckdb_catalogue.h"

namespace sparkprof {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Result<ClickhouseOptions> ParseClickhouse(std::string_view location) {
  const auto fail = [location](std::string_view why) {
    return Fail(fmt::format("--catalogue {}: {}; expected clickhouse://HOST:PORT[,HOST:PORT]/DATABASE[?cluster=NAME]",
                            location, why));
  };
  ClickhouseOptions options;
  const size_t scheme = location.find("://");
  const std::string_view http = location.starts_with("clickhouses://") ? "https://" : "http://";
  std::string_view rest = location.substr(scheme + 3);
  if (const size_t question = rest.find('?'); question != std::string_view::npos) {
    constexpr std::string_view kCluster = "cluster=";
    const std::string_view query = rest.substr(question + 1);
    if (!query.starts_with(kCluster)) return fail("unknown parameter");
    options.cluster = query.substr(kCluster.size());
    rest = rest.substr(0, question);
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    if (slash + 1 < rest.size()) options.database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  for (const std::string_view host : Split(rest, ',')) {
    if (host.empty()) return fail("the host is missing");
    options.servers.push_back(fmt::format("{}{}", http, host));
  }
  options.user = Variable("SPARKPROF_CLICKHOUSE_USER");
  options.password = Variable("SPARKPROF_CLICKHOUSE_PASSWORD");
  return options;
}

}  // namespace

Result<std::unique_ptr<Catalogue>> OpenCatalogue(const std::string& location, std::string* rebuilt) {
  if (location.starts_with("clickhouse://") || location.starts_with("clickhouses://")) {
    const Result<ClickhouseOptions> options = ParseClickhouse(location);
    if (!options) return tl::unexpected(options.error());
    return OpenClickhouseCatalogue(*options);
  }
  if (!IsCatalogueFile(location)) {
    return Fail(fmt::format("--catalogue {}: expected a file, or clickhouse://HOST:PORT/DATABASE", location));
  }
  // The catalogue may be outside the data folder.
  for (const char* const part : {"", ".wal", ".tmp"}) {
    const std::string path = location + part;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    if (Result<size_t> restricted = RestrictFolder(path); !restricted) return tl::unexpected(restricted.error());
  }
  CatalogueProblem problem = CatalogueProblem::kNone;
  Result<std::unique_ptr<Catalogue>> catalogue = OpenDuckdbCatalogue(location, {}, &problem);
  if (catalogue || problem != CatalogueProblem::kUnusable || rebuilt == nullptr) return catalogue;
  const std::string reason = catalogue.error().message;
  if (Result<void> removed = RemoveDuckdbCatalogue(location); !removed) return tl::unexpected(removed.error());
  catalogue = OpenDuckdbCatalogue(location);
  if (catalogue) *rebuilt = fmt::format("{}; rebuilding the catalogue from the recordings", reason);
  return catalogue;
}

bool IsCatalogueFile(const std::string& location) { return location.find("://") == std::string::npos; }

std::string DefaultCatalogue(const std::string& data) { return data + "/catalogue.duckdb"; }

std::string DataFolder(const std::string& option) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(option, error);
  const std::string path = error ? option : absolute.lexically_normal().string();
  return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

Result<std::string> OpenDataFolder(const std::string& data) {
  RestrictUmask();
  if (Result<void> created = CreateFolders(data); !created) return tl::unexpected(created.error());
  return RestrictFolder(data).map([&](size_t restricted) {
    return restricted == 0
               ? std::string()
               : fmt::format("{}: removed the permissions of other users from {} files and folders", data, restricted);
  });
}

}  // namespace sparkprof
