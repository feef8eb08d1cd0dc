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

// A proof and its viewers.
struct StoredProof {
  KnownProof proof;
  std::string sender;   // user of the token that sent it; empty if the token has none
  std::string viewers;  // viewers of its application (ViewersOf) with the tenant; empty = the collector did not have
                        // the application
};

// Records the proof in the audit log and applies `change` (AuditLog::Add).
using RecordProof = std::function<Result<void>(const Change& change)>;

// Proofs by group of each tenant, in FOLDER/proofs/GROUP.jsonl. Keeps kMaxOfGroup of each group: beyond it, the sender
// with the most proofs loses its oldest one. Thread-safe.
class ProofStore {
 public:
  // Proofs take up to 10 KiB each, so lists share them.
  using Proofs = std::vector<std::shared_ptr<const StoredProof>>;

  // Reads the existing proofs. Fails if the folder cannot be read or created.
  static Result<std::unique_ptr<ProofStore>> Open(const std::string& folder);

  // Durable on return. Fails beyond the limits of groups.
  Result<void> Add(StoredProof proof, const RecordProof& record);

  // Proofs of one group, or of all groups, latest first.
  Proofs List(const std::optional<std::string>& group) const;

  // Describes damaged files.
  std::vector<std::string> Problems() const;

  static constexpr size_t kMaxOfGroup = 50;
  static constexpr size_t kMaxGroups = 2'000;        // per tenant
  static constexpr size_t kMaxGroupsOfSender = 200;  // groups with proofs of one user only, per user

 private:
  explicit ProofStore(const std::string& folder) : folder_(folder + "/proofs") {}
  Result<void> ReadProofs();
  Result<void> CheckGroups(const StoredProof& proof) const;
  Result<void> Write(const std::string& key, const Proofs& proofs) const;

  std::string folder_;
  mutable std::mutex mutex_;
  std::map<std::string, Proofs> by_group_;  // by GroupKey, in order of arrival
  std::vector<std::string> problems_;
};

}  // namespace sparkprof
