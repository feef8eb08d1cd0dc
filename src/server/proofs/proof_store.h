// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "proofs/known_proof.h"
#include "server/access/audit_log.h"

namespace sparkprof {

// A proof, and who may see it.
struct StoredProof {
  KnownProof proof;
  std::string sender;   // user of the token that sent it; empty = the token names none
  std::string viewers;  // of its application (ViewersOf); empty = the collector did not have it
};

// Records the proof in the audit log and applies `change` (AuditLog::Add).
using RecordProof = std::function<Result<void>(const Change& change)>;

// Proofs of all groups, in FOLDER/proofs/GROUP.jsonl. Of a group, the latest kMaxOfGroup are kept. Thread-safe.
class ProofStore {
 public:
  // Reads the existing proofs. Fails if the folder cannot be read or created.
  static Result<std::unique_ptr<ProofStore>> Open(const std::string& folder);

  // Durable on return. Fails beyond kMaxGroups.
  Result<void> Add(StoredProof proof, const RecordProof& record);

  // Proofs of one group, or of all groups, by time, latest first.
  std::vector<StoredProof> List(const std::optional<std::string>& group) const;

  // Describes damaged files.
  std::vector<std::string> Problems() const;

  static constexpr size_t kMaxOfGroup = 50;
  static constexpr size_t kMaxGroups = 2'000;

 private:
  explicit ProofStore(const std::string& folder) : folder_(folder + "/proofs") {}
  Result<void> ReadProofs();
  Result<void> Write(const std::string& group, const std::vector<StoredProof>& proofs) const;

  std::string folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<StoredProof>> by_group_;  // in the order in which they arrived
  std::vector<std::string> problems_;
};

}  // namespace sparkprof
