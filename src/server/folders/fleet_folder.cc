// SPDX-License-Identifier: Apache-2.0
#include "server/folders/fleet_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "fleet/fleet_result.h"
#include "model/hash_bytes.h"
#include "render/writers/gzip.h"

namespace sparkprof {

namespace fs = std::filesystem;

// The version is based on the files that each commit of `fleet analyze` writes last.
Result<std::string> FleetFolder::Version() const {
  std::string version;
  std::error_code error;
  for (fs::directory_iterator entry(path_ + "/_sparkprof", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code is_gone;
    const auto time = entry->last_write_time(is_gone);
    version += fmt::format("{} {}\n", entry->path().filename().string(), time.time_since_epoch().count());
  }
  if (error) return Fail(fmt::format("{}: not the output of sparkprof fleet analyze", path_));
  return version;
}

Result<FleetFolder::Data> FleetFolder::Read() {
  const std::lock_guard lock(mutex_);
  Result<std::string> version = Version();
  if (!version) return tl::unexpected(version.error());
  if (data_.compressed && *version == version_) return data_;
  const Result<std::string> json = FleetReportData(path_, prices_);
  if (!json) return tl::unexpected(json.error());
  data_ = {std::make_shared<const std::string>(Gzip(*json)), fmt::format("\"{:016x}\"", HashBytes(*json))};
  version_ = std::move(*version);
  return data_;
}

}  // namespace sparkprof
