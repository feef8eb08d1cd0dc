// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/tenant_quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
  int64_t new_applications = 0;
  bool is_identified = true;
  for (const std::string& id : applications) {
    if (id == kUnidentified) {
      is_identified = false;
    } else if (!entries_->HasApplication(tenant, id)) {
      ++new_applications;
    }
  }
  const auto added = static_cast<int64_t>(bytes);
  const std::lock_guard lock(mutex_);
  const Usage counted = counted_[tenant];
  Usage& uncounted = uncounted_[tenant];
  int64_t& unidentified = unidentified_bytes_[tenant];
  if (quota.bytes > 0 && counted.bytes + uncounted.bytes + unidentified + added > quota.bytes) {
    return Fail(fmt::format("tenant {} has reached its quota of {} of recordings", tenant, FormatBytes(quota.bytes)));
  }
  const int64_t all_applications = counted.applications + uncounted.applications + new_applications;
  if (quota.applications > 0 && new_applications > 0 && all_applications > quota.applications) {
    return Fail(fmt::format("tenant {} has reached its quota of {} applications", tenant, quota.applications));
  }
  (is_identified ? uncounted.bytes : unidentified) += added;
  uncounted.applications += new_applications;
  return {};
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
