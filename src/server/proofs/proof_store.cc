// SPDX-License-Identifier: Apache-2.0
#include "server/proofs/proof_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".jsonl";

std::string LineOf(const StoredProof& stored) {
  JsonWriter json;
  json.BeginObject()
      .Member("sender", stored.sender)
      .Member("viewers", stored.viewers)
      .Key("proof")
      .Raw(KnownProofJson(stored.proof))
      .EndObject();
  return json.Take();
}

Result<StoredProof> ParseLine(const std::string& line) {
  JsonParser parser;
  simdjson::dom::object object, proof;
  if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS || !ObjectAt(object, "proof", &proof))
    return Fail("not a proof");
  Result<KnownProof> known = ParseProof(simdjson::minify(proof));
  if (!known) return tl::unexpected(known.error());
  return StoredProof{std::move(*known), std::string(TextAt(object, "sender")), std::string(TextAt(object, "viewers"))};
}

}  // namespace

Result<std::unique_ptr<ProofStore>> ProofStore::Open(const std::string& folder) {
  std::unique_ptr<ProofStore> store(new ProofStore(folder));
  if (Result<void> created = CreateFolders(store->folder_); !created) return tl::unexpected(created.error());
  if (Result<void> read = store->ReadProofs(); !read) return tl::unexpected(read.error());
  return store;
}

Result<void> ProofStore::ReadProofs() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string path = entry.path();
    if (!path.ends_with(kEnding)) continue;
    const Result<std::string> text = ReadFile(path);
    if (!text) {
      problems_.push_back(text.error().message);
      continue;
    }
    const CheckedLines checked = ReadCheckedLines(*text);
    size_t damaged = checked.damaged;
    for (const std::string& line : checked.lines) {
      Result<StoredProof> stored = ParseLine(line);
      if (!stored) {
        ++damaged;
        continue;
      }
      std::vector<StoredProof>& proofs = by_group_[stored->proof.subject.group];
      proofs.push_back(std::move(*stored));
    }
    if (damaged > 0) problems_.push_back(fmt::format("{}: {} damaged lines; restore it from a backup", path, damaged));
  }
  return error ? Fail(fmt::format("{}: cannot list: {}", folder_, error.message())) : Result<void>();
}

Result<void> ProofStore::Write(const std::string& group, const std::vector<StoredProof>& proofs) const {
  std::string text;
  for (const StoredProof& proof : proofs) text += WithChecksum(LineOf(proof)) + "\n";
  return WriteFile(fmt::format("{}/{}{}", folder_, FileNameFor(group), kEnding), text);
}

Result<void> ProofStore::Add(StoredProof proof, const RecordProof& record) {
  const std::string group = proof.proof.subject.group;
  const std::lock_guard lock(mutex_);
  const auto found = by_group_.find(group);
  if (found == by_group_.end() && by_group_.size() >= kMaxGroups) {
    return Fail(
        fmt::format("proofs of {} groups are stored, which is the limit; remove old files of {}", kMaxGroups, folder_));
  }
  std::vector<StoredProof> proofs = found == by_group_.end() ? std::vector<StoredProof>() : found->second;
  if (proofs.size() >= kMaxOfGroup) {
    proofs.erase(proofs.begin(), proofs.begin() + static_cast<ptrdiff_t>(proofs.size() - kMaxOfGroup + 1));
  }
  proofs.push_back(std::move(proof));
  if (Result<void> added = record([&] { return Write(group, proofs); }); !added) return added;
  by_group_[group] = std::move(proofs);
  return {};
}

std::vector<StoredProof> ProofStore::List(const std::optional<std::string>& group) const {
  std::vector<StoredProof> listed;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, proofs] : by_group_) {
      if (!group || name == *group) listed.insert(listed.end(), proofs.rbegin(), proofs.rend());
    }
  }
  std::stable_sort(listed.begin(), listed.end(), [](const StoredProof& a, const StoredProof& b) {
    return a.proof.subject.time_ms > b.proof.subject.time_ms;
  });
  return listed;
}

std::vector<std::string> ProofStore::Problems() const { return problems_; }

}  // namespace sparkprof
