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

// Inspects a folder of recordings and compares it with the catalogue. No server may be using the folder.

struct GroupSize {
  int64_t applications = 0;
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t oldest_ns = 0, newest_ns = 0;  // arrival times of their last blocks

  void Add(const ApplicationFiles& application);
};

struct StoreStatus {
  GroupSize total;
  std::map<std::string, GroupSize> groups;  // by name; without applications that the catalogue does not list
  std::vector<std::string> incomplete;      // files with an incomplete last block
  std::vector<std::string> problems;        // unreadable files with the reason
  // Applications whose catalogue entry is missing or outdated, or whose recordings were removed.
  int64_t behind = 0;
};

// The owner of a catalogue: the server with these recordings, or the nodes of one store, which write versions and
// locations of their own (Cataloguer).
enum class CatalogueOf : uint8_t { kServer, kNodes };

struct InspectedStore {
  std::string recordings;                 // the folder
  ApplicationEntries* entries = nullptr;  // null = those that are stored beside the folder
  CatalogueOf catalogue_of = CatalogueOf::kServer;
};

// `catalogue` may be null. Reads only files that changed since their catalogue entry was written.
Result<StoreStatus> InspectStore(const InspectedStore& store, Catalogue* catalogue);

// Decodes every block below the folder, and compares the result with the catalogue unless that is null. Returns one
// sentence per problem; empty if there is none. Fails if the folder or the catalogue cannot be read.
Result<std::vector<std::string>> VerifyStore(const InspectedStore& store, Catalogue* catalogue);

// Fills an empty catalogue with entries of all readable recordings. Returns its number of applications.
Result<int64_t> FillCatalogue(const InspectedStore& store, Catalogue* catalogue);

Result<std::vector<ApplicationRow>> AllApplications(Catalogue* catalogue);

}  // namespace sparkprof
