// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "server/folders/application_files.h"
#include "server/ingest/recording_store.h"

namespace sparkprof {

// Contents of a folder of recordings, and whether the catalogue agrees. No server may use the folder meanwhile.

struct GroupSize {
  int64_t applications = 0;
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t oldest_ns = 0, newest_ns = 0;  // when their last blocks arrived

  void Add(const ApplicationFiles& application);
};

struct StoreStatus {
  GroupSize total;
  std::map<std::string, GroupSize> groups;  // by name; applications that the catalogue does not list are in none
  std::vector<std::string> incomplete;      // files whose last block is incomplete
  std::vector<std::string> problems;        // files that cannot be read, with the reason
  // Applications whose entry in the catalogue is missing or of other recordings, or whose recordings are gone.
  int64_t behind = 0;
};

// `catalogue` may be null. Reads files only that changed since their catalogue entry was made.
Result<StoreStatus> InspectStore(const std::string& recordings, Catalogue* catalogue);

// Reads and decodes every block below `recordings`, and compares the catalogue, unless null, with what the recordings
// result in. Problems, a sentence for each; empty if all is well. Fails if the folder or the catalogue cannot be read.
Result<std::vector<std::string>> VerifyStore(const std::string& recordings, Catalogue* catalogue);

// Makes the entries of all recordings that can be read in a catalogue that has none. Returns how many applications it
// has then.
Result<int64_t> FillCatalogue(const std::string& recordings, Catalogue* catalogue);

// Every row of the list.
Result<std::vector<ApplicationRow>> AllApplications(Catalogue* catalogue);

}  // namespace sparkprof
