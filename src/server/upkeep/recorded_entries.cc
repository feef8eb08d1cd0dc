// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "catalogue/catalogue_entry.h"
#include "server/upkeep/cataloguer.h"

namespace sparkprof {
namespace {

// Adds Spark's version if Spark's REST API is answered from the recordings (recorded_event_logs.h).
std::string WithVersion(std::string location, const Application& application) {
  if (location.find("\n" + std::string(RecordingDirectory::kEventLogLine)) == std::string::npos) return location;
  return location + EventLogDirectory::VersionLine(application.spark_version);
}

}  // namespace

std::vector<CatalogueEntry> EntriesOf(const CachedApplication& application,
                                      const std::function<std::string(const std::string& attempt)>& location_of,
                                      bool is_live) {
  std::vector<CatalogueEntry> entries;
  for (const std::shared_ptr<CachedAttempt>& attempt : application.attempts) {
    const bool is_last = attempt == application.attempts.back();
    CatalogueEntry& entry = entries.emplace_back(
        MakeCatalogueEntry(*attempt->In(Language::kMerged, /*fold=*/true), *attempt->GetAnswers(),
                           {.location = WithVersion(location_of(attempt->Recorded().attempt), attempt->Recorded()),
                            .version = application.version,
                            .is_live = is_last && is_live}));
    entry.application.key.id = application.entry;
    entry.application.viewers = attempt->Viewers();
  }
  return entries;
}

}  // namespace sparkprof
