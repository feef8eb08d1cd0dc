// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loader/application_loader.h"
#include "mcp/application_source.h"

namespace sparkprof {

// Applications in files and folders. Found on the first query; later changes are not detected. A few applications are
// read immediately, for their names and durations; if there are many, each is read on demand.
class InputApplications : public ApplicationSource {
 public:
  InputApplications(std::vector<std::string> paths, const LoaderOptions& options, std::string source_folder)
      : paths_(std::move(paths)), options_(options), source_folder_(std::move(source_folder)) {}

  Result<ApplicationList> List(const ListQuery& query) override;
  Result<AskedApplication> Load(const std::string& key) override;
  // Proofs in proof.json of the inputs that are output folders of `sparkprof prove`.
  std::vector<KnownProof> Proofs(const std::string& group) override;
  std::string SourceFolder() const override { return source_folder_; }

 private:
  // One application attempt of an input. A loader row has several if its event log does.
  struct Entry {
    ApplicationSummary listed;
    std::string row_id, row_attempt;  // ID and attempt of the loader's row
    size_t place = 0;                 // index among the applications of that row
    std::string id;                   // Spark's ID, once known; Load accepts it as well as the key
  };

  Result<void> FindOnce();
  Result<void> ReadRow(size_t row);
  Entry* EntryOf(const std::string& key);
  std::string KeyOf(const Application& application, size_t row) const;
  void Keep(const std::string& key, AskedApplication asked);

  const std::vector<std::string> paths_;
  const LoaderOptions options_;
  const std::string source_folder_;

  std::mutex mutex_;  // guards the following members
  std::optional<ApplicationLoader> loader_;
  std::set<size_t> read_rows_;  // rows of loader_ that were read; each can be read only once
  std::deque<Entry> entries_;   // a deque, because entries may be added while one is in use
  std::map<std::string, AskedApplication, std::less<>> loaded_;
  std::list<std::string> recent_;  // keys of loaded_, most recent first
};

}  // namespace sparkprof
