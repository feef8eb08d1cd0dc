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
#include "model/viewers.h"
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

std::string KeyOf(const StoredProof& stored) { return GroupKey(TenantOf(stored.viewers), stored.proof.subject.group); }

Result<StoredProof> ParseLine(const std::string& line) {
  JsonParser parser;
  simdjson::dom::object object, proof;
  if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS || !ObjectAt(object, "proof", &proof))
    return Fail("not a proof");
  Result<KnownProof> known = ParseProof(simdjson::minify(proof));
  if (!known) return tl::unexpected(known.error());
  return StoredProof{std::move(*known), std::string(TextAt(object, "sender")), std::string(TextAt(object, "viewers"))};
}

// Drops the oldest proof of the sender with the most, the new one included: nobody can push out all of another sender.
void MakeRoom(const std::string& sender, ProofStore::Proofs* proofs) {
  std::map<std::string, size_t> counts{{sender, 1}};
  for (const auto& one : *proofs) ++counts[one->sender];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto oldest =
      std::find_if(proofs->begin(), proofs->end(), [&](const auto& one) { return one->sender == most->first; });
  if (oldest != proofs->end()) proofs->erase(oldest);
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
    std::string key;
    for (const std::string& line : checked.lines) {
      Result<StoredProof> stored = ParseLine(line);
      if (!stored) {
        ++damaged;
        continue;
      }
      key = KeyOf(*stored);
      by_group_[key].push_back(std::make_shared<const StoredProof>(std::move(*stored)));
    }
    const std::string current = fmt::format("{}/{}{}", folder_, FileNameFor(key), kEnding);
    if (!key.empty() && path == folder_ + "/" + OldFileNameFor(key) + std::string(kEnding) && !fs::exists(current)) {
      fs::rename(path, current, error);
    }
    if (damaged > 0) problems_.push_back(fmt::format("{}: {} damaged lines; restore it from a backup", path, damaged));
  }
  return error ? Fail(fmt::format("{}: cannot list: {}", folder_, error.message())) : Result<void>();
}

Result<void> ProofStore::Write(const std::string& key, const Proofs& proofs) const {
  std::string text;
  for (const auto& proof : proofs) text += WithChecksum(LineOf(*proof)) + "\n";
  return WriteFile(fmt::format("{}/{}{}", folder_, FileNameFor(key), kEnding), text);
}

// Whether the proof may open a group. mutex_ is held.
Result<void> ProofStore::CheckGroups(const StoredProof& proof) const {
  const std::string tenant = TenantOf(proof.viewers);
  size_t of_tenant = 0, of_sender = 0;
  for (const auto& [key, proofs] : by_group_) {
    if (TenantOf(proofs.front()->viewers) != tenant) continue;
    ++of_tenant;
    const bool is_senders =
        std::all_of(proofs.begin(), proofs.end(), [&](const auto& one) { return one->sender == proof.sender; });
    if (is_senders) ++of_sender;
  }
  if (!proof.sender.empty() && of_sender >= kMaxGroupsOfSender) {
    return Fail(fmt::format("user {} has sent proofs of {} groups, which is the limit", proof.sender, of_sender));
  }
  if (of_tenant < kMaxGroups) return {};
  return Fail(
      fmt::format("proofs of {} groups are stored, which is the limit; remove old files of {}", kMaxGroups, folder_));
}

Result<void> ProofStore::Add(StoredProof proof, const RecordProof& record) {
  const std::string key = KeyOf(proof);
  const std::lock_guard lock(mutex_);
  const auto found = by_group_.find(key);
  if (found == by_group_.end()) {
    if (Result<void> has_room = CheckGroups(proof); !has_room) return has_room;
  }
  Proofs proofs = found == by_group_.end() ? Proofs() : found->second;
  while (proofs.size() >= kMaxOfGroup) MakeRoom(proof.sender, &proofs);
  proofs.push_back(std::make_shared<const StoredProof>(std::move(proof)));
  if (Result<void> added = record([&] { return Write(key, proofs); }); !added) return added;
  by_group_[key] = std::move(proofs);
  return {};
}

ProofStore::Proofs ProofStore::List(const std::optional<std::string>& group) const {
  Proofs listed;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, proofs] : by_group_) {
      if (!group || proofs.front()->proof.subject.group == *group) {
        listed.insert(listed.end(), proofs.rbegin(), proofs.rend());
      }
    }
  }
  std::stable_sort(listed.begin(), listed.end(),
                   [](const auto& a, const auto& b) { return a->proof.subject.time_ms > b->proof.subject.time_ms; });
  return listed;
}

std::vector<std::string> ProofStore::Problems() const { return problems_; }

}  // namespace sparkprof
