// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/tenant_quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text/text.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

constexpr std::chrono::seconds kCountEvery{30};

}  // namespace

TenantQuotas::~TenantQuotas() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void TenantQuotas::Start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void TenantQuotas::Run() {
  task_.NameThread();
  while (true) {
    task_.Attempt([this] { Count(); });
    std::unique_lock lock(mutex_);
    if (stopping_.wait_for(lock, kCountEvery, [this] { return stop_; })) return;
  }
}

void TenantQuotas::Count() {
  Usages counted;
  std::set<std::string> unidentified;
  for (const std::string& entry : recordings_->Applications(kUnidentified)) {
    if (!entries_->TenantOfEntry(entry).empty()) continue;
    const std::optional<RecordedFiles> files = recordings_->Find(entry);
    if (!files) continue;
    for (const StoredFile& file : files->files) unidentified.insert(file.name);
  }
  for (const std::string& entry : recordings_->Applications()) {
    const std::string tenant = entries_->TenantOfEntry(entry);
    if (tenant.empty()) continue;
    Usage& usage = counted[tenant];
    ++usage.applications;
    const std::optional<RecordedFiles> files = recordings_->Find(entry);
    if (!files) continue;
    for (const StoredFile& file : files->files) usage.bytes += file.size;
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(unidentified_, [&](const auto& file) { return !unidentified.contains(file.first); });
  for (const auto& [path, tenants] : unidentified_) {
    for (const auto& [tenant, bytes] : tenants) counted[tenant].bytes += bytes;
  }
  counted_ = std::move(counted);
  // Most of what was taken meanwhile is counted: counting it twice would refuse what a tenant may store.
  uncounted_.clear();
}

TenantQuota TenantQuotas::QuotaOf(const std::string& tenant) const {
  TenantQuota quota = options_.each;
  if (const auto own = options_.own.find(tenant); own != options_.own.end()) {
    for (const auto limit : {&TenantQuota::bytes, &TenantQuota::applications, &TenantQuota::queries}) {
      if (own->second.*limit > 0) quota.*limit = own->second.*limit;
    }
  }
  return quota;
}

Result<void> TenantQuotas::Take(const std::string& tenant, const std::vector<std::string>& applications, size_t bytes) {
  if (tenant.empty()) return {};
  const TenantQuota quota = QuotaOf(tenant);
  const int64_t new_applications = std::count_if(applications.begin(), applications.end(), [&](const std::string& id) {
    return id != kUnidentified && !entries_->HasApplication(tenant, id);
  });
  const auto added = static_cast<int64_t>(bytes);
  const std::lock_guard lock(mutex_);
  const Usage counted = counted_[tenant];
  Usage& uncounted = uncounted_[tenant];
  if (quota.bytes > 0 && counted.bytes + uncounted.bytes + added > quota.bytes) {
    return Fail(fmt::format("tenant {} has reached its quota of {} of recordings", tenant, FormatBytes(quota.bytes)));
  }
  const int64_t all_applications = counted.applications + uncounted.applications + new_applications;
  if (quota.applications > 0 && new_applications > 0 && all_applications > quota.applications) {
    return Fail(fmt::format("tenant {} has reached its quota of {} applications", tenant, quota.applications));
  }
  uncounted.bytes += added;
  uncounted.applications += new_applications;
  return {};
}

void TenantQuotas::NoteUnidentified(const std::string& tenant, const std::string& path, size_t bytes) {
  if (tenant.empty()) return;
  const std::lock_guard lock(mutex_);
  unidentified_[path][tenant] += static_cast<int64_t>(bytes);
}

Result<void> TenantQuotas::TakeQuery(const std::string& tenant, Clock::time_point now) {
  const auto most = static_cast<double>(tenant.empty() ? 0 : QuotaOf(tenant).queries);
  if (most == 0) return {};
  const std::lock_guard lock(mutex_);
  Queries& queries = queries_.try_emplace(tenant, Queries{most, now}).first->second;
  const std::chrono::duration<double> since = now - queries.at;
  queries.left = std::min(most, queries.left + since.count() * most);
  queries.at = now;
  if (queries.left < 1)
    return Fail(fmt::format("tenant {} has reached its quota of {} queries per second", tenant, most));
  queries.left -= 1;
  return {};
}

}  // namespace sparkprof
