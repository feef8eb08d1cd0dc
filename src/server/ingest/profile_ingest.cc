// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/profile_ingest.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/io/compression.h"
#include "base/redaction/redaction.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/profile_formats.h"
#include "model/hash_bytes.h"
#include "model/samples/profile_builder.h"
#include "recording/profile_recording.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLabels = 64;
constexpr size_t kMaxLabelSize = 1024;
constexpr size_t kMaxServiceSize = 256;
constexpr size_t kServiceSizeOfId = 48;
// Clients send a profile every 10 to 15 s.
constexpr int64_t kBucketNs = 10 * kNanosPerSecond;
// Short enough to assign samples of a host to tasks (JoinProfiles).
constexpr int64_t kHostBucketNs = 20 * kNanosPerMilli;

Result<void> CheckNames(const ReceivedProfile& received) {
  if (received.service.empty() || received.service.size() > kMaxServiceSize) {
    return Fail(fmt::format("name: expected 1 to {} bytes", kMaxServiceSize));
  }
  if (received.labels.size() > kMaxLabels) {
    return Fail(fmt::format("{} labels, expected at most {}", received.labels.size(), kMaxLabels));
  }
  for (const auto& [name, value] : received.labels) {
    if (name.empty() || name.size() > kMaxLabelSize || value.size() > kMaxLabelSize) {
      return Fail(fmt::format("labels: expected names of 1 to {0} bytes and values of up to {0}", kMaxLabelSize));
    }
  }
  return {};
}

// Labels of the client itself are the same for all that it profiles.
bool IsOfClient(std::string_view label) {
  return label.starts_with("otel.") || label.starts_with("process.runtime.") || label.starts_with("telemetry.");
}

// Formats "shop.cart{region=eu}".
std::string NameWithLabels(const std::string& service, const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string list;
  for (const auto& [name, value] : labels) {
    if (!IsOfClient(name)) list += fmt::format("{}{}={}", list.empty() ? "" : ", ", name, value);
  }
  return list.empty() ? service : service + "{" + list + "}";
}

// Formats "20261123".
std::string DayOf(int64_t time_ns) {
  std::string day;
  for (const char c : FormatTimestamp(time_ns).substr(0, 10)) {
    if (c != '-') day += c;
  }
  return day;
}

// Restricts a name to letters, digits, dots and dashes, for URLs.
std::string ShortName(std::string_view service) {
  std::string name;
  for (const char c : service.substr(0, kServiceSizeOfId)) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
    name += is_plain ? c : '-';
  }
  return name;
}

// Converts sample counts to times and renames events to sparkprof's names.
void UnifyEvents(const ReceivedProfile& received, Profile* profile) {
  std::vector<int64_t> ns_per_count(profile->events.size(), 0);
  for (size_t row = 0; row < profile->events.size(); ++row) {
    ProfileEvent& event = profile->events[row];
    if (!received.event.name.empty() && event.name == "samples" && event.unit == "count") event = received.event;
    const std::optional<Event> known = ParseEvent(event.name);
    const bool is_time = known == Event::kCpu || known == Event::kWall;
    if (!is_time || event.unit != "count" || received.samples_per_second <= 0) continue;
    event.unit = "ns";
    ns_per_count[row] = kNanosPerSecond / received.samples_per_second;
  }
  for (Sample& sample : profile->samples) {
    if (ns_per_count[sample.event] == 0) continue;
    if (__builtin_mul_overflow(sample.count, ns_per_count[sample.event], &sample.weight)) sample.weight = INT64_MAX;
  }
}

// True if the samples have processes of a host, and times.
bool IsOfHost(const Profile& profile) {
  return std::any_of(profile.samples.begin(), profile.samples.end(), [&](const Sample& sample) {
    return profile.threads[sample.thread].process != 0 && sample.time_ns >= kFirstEpochTime;
  });
}

// Spark names executors in pods by the pod's address.
std::string HostIn(const std::map<std::string, std::string>& labels) {
  for (const char* const name : {"k8s.pod.ip", "host.name", "k8s.node.name"}) {
    if (const auto found = labels.find(name); found != labels.end()) return ToUtf8(found->second);
  }
  return {};
}

// `content` must be uncompressed.
Result<Profile> ReadReceived(const ReceivedProfile& received, std::string content) {
  const ProfileFormat* format = received.format;
  const std::string_view head = std::string_view(content).substr(0, kFormatHeadSize);
  if (format == nullptr) format = RecognizeProfileFormat(head);
  if (format == nullptr) {
    const std::string_view unread = NameOfUnreadFormat(head);
    return Fail(unread.empty() ? "the profile has an unknown format; expected for instance pprof or JFR"
                               : fmt::format("expected a profile, found {}", unread));
  }
  const bool may_be_of_host = format->name == "otlp";
  ProfileBuilder builder({.name = std::string(format->name),
                          .keep_threads = true,
                          .bucket_ns = may_be_of_host ? kHostBucketNs : kNanosPerSecond});
  if (Result<void> read = format->read(StringSource(std::move(content)), &builder); !read) {
    return tl::unexpected(read.error());
  }
  return builder.Take();
}

}  // namespace

Result<std::string> ExpandBody(std::string_view body) {
  const std::unique_ptr<ByteSource> source = Decompress(ViewSource(body), "body");
  return ReadAll(source.get(), kMaxExpandedProfile, "body");
}

Result<uint64_t> AppendProfile(const ReceivedProfile& received, int64_t now_ns, std::string* blocks) {
  if (Result<void> good = CheckNames(received); !good) return tl::unexpected(good.error());
  Result<std::string> content = ExpandBody(received.content);
  if (!content) return tl::unexpected(content.error());
  const uint64_t content_bytes = content->size();
  Result<Profile> profile = ReadReceived(received, std::move(*content));
  if (!profile) return tl::unexpected(profile.error());
  UnifyEvents(received, &*profile);
  ProfileUpload upload{.start_ns = received.start_ns, .bucket_ns = kBucketNs};
  if (upload.start_ns == 0) {
    const bool has_time = profile->start_ns >= kFirstEpochTime && profile->start_ns <= now_ns;
    upload.start_ns = has_time ? profile->start_ns : now_ns;
  }
  upload.end_ns = received.end_ns == 0 ? std::max(now_ns, upload.start_ns) : received.end_ns;
  upload.group = RedactText(ToUtf8(received.service));
  for (const auto& [name, value] : received.labels) {
    upload.labels.emplace_back(ToUtf8(name), RedactSetting(name, ToUtf8(value)));
  }
  upload.name = NameWithLabels(upload.group, upload.labels);
  std::string prefix(kProfileIdPrefix);
  if (profile->bucket_ns == kHostBucketNs && IsOfHost(*profile)) {
    upload.bucket_ns = kHostBucketNs;
    upload.host = HostIn(received.labels);
    // The recording belongs to the day of the applications to join.
    const int64_t first_ns = TimesOfSamples(*profile).start_ns;
    if (received.start_ns == 0 && first_ns >= kFirstEpochTime && first_ns <= now_ns) upload.start_ns = first_ns;
    prefix = fmt::format("{}{}_", kHostProfileIdPrefix, ShortName(upload.host));
  }
  upload.id = fmt::format("{}{}-{}-{:08x}", prefix, ShortName(upload.group), DayOf(upload.start_ns),
                          static_cast<uint32_t>(HashBytes(upload.name)));
  upload.key = HashBytes(fmt::format("{} {} {}", received.event.name, upload.start_ns, HashBytes(received.content)));
  WriteProfileRecording(std::move(*profile), upload, [&](std::string_view block) { *blocks += block; });
  return content_bytes;
}

}  // namespace sparkprof
