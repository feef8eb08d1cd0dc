// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/segment/message_reader.h"
#include "server/ingest/profile_requests.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxSeries = 256;  // maximum per push
constexpr int64_t kDefaultRate = 100;
constexpr int64_t kMaxRate = 1'000'000;
constexpr int64_t kDayNs = 24 * 3600 * kNanosPerSecond;

// Suffix of an application's name that names the profile kind, and sparkprof's event for it.
struct ProfileKind {
  std::string_view ending;
  std::string_view event;
};
constexpr ProfileKind kKinds[] = {
    {"cpu", "cpu"},
    {"itimer", "cpu"},
    {"ctimer", "cpu"},
    {"wall", "wall"},
    {"lock_duration", "lock"},
    {"lock_count", ""},
    {"alloc_in_new_tlab_bytes", "alloc"},
    {"alloc_in_new_tlab_objects", ""},
    {"alloc_outside_tlab_bytes", ""},
    {"alloc_outside_tlab_objects", ""},
    {"alloc_objects", ""},
    {"alloc_space", ""},
    {"inuse_objects", ""},
    {"inuse_space", ""},
    {"goroutines", ""},
    {"mutex_count", ""},
    {"mutex_duration", ""},
    {"block_count", ""},
    {"block_duration", ""},
    {"exceptions", ""},
    {"event", ""},
};

// Parses a time since the Unix epoch; its number of digits decides between s, ms, µs and ns.
Result<int64_t> TimeOf(const HttpRequest& request, std::string_view name, int64_t now_ns) {
  const std::string_view text = request.Parameter(name);
  if (text.empty()) return now_ns;
  const std::optional<int64_t> number = ParseInteger(text);
  std::optional<int64_t> time_ns;
  if (number && text.size() == 10) time_ns = *number * kNanosPerSecond;
  if (number && text.size() == 13) time_ns = *number * kNanosPerMilli;
  if (number && text.size() == 16) time_ns = *number * kNanosPerMicro;
  if (number && text.size() == 19) time_ns = *number;
  if (!time_ns || *time_ns < 0) {
    return Fail(fmt::format("{}: invalid time '{}'; expected seconds, ms, us or ns since the Unix epoch", name, text));
  }
  if (*time_ns > now_ns + kDayNs) {
    return Fail(fmt::format("{}: {} is more than a day in the future; check the client's clock", name, text));
  }
  return *time_ns;
}

// Parses "shop.cart.cpu{region=eu,host=a}".
Result<void> ParseName(std::string_view name, ReceivedProfile* profile) {
  const size_t brace = name.find('{');
  std::string_view service = Trim(name.substr(0, brace));
  if (brace != std::string_view::npos) {
    if (!name.ends_with('}')) return Fail(fmt::format("name: '{}' has no closing brace", name));
    for (const std::string_view pair : Split(name.substr(brace + 1, name.size() - brace - 2), ',')) {
      if (Trim(pair).empty()) continue;
      const size_t equals = pair.find('=');
      if (equals == std::string_view::npos) return Fail(fmt::format("name: expected LABEL=VALUE, found '{}'", pair));
      std::string_view value = Trim(pair.substr(equals + 1));
      if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
        value = value.substr(1, value.size() - 2);
      }
      profile->labels[std::string(Trim(pair.substr(0, equals)))] = value;
    }
  }
  const auto service_name = profile->labels.extract("service_name");
  for (const ProfileKind& kind : kKinds) {
    if (service.size() <= kind.ending.size() + 1 || !service.ends_with(kind.ending)) continue;
    const std::string_view before = service.substr(0, service.size() - kind.ending.size());
    if (!before.ends_with('.')) continue;
    profile->event.name = kind.event.empty() ? kind.ending : kind.event;
    service = before.substr(0, before.size() - 1);
    break;
  }
  profile->service = service_name.empty() ? std::string(service) : service_name.mapped();
  return {};
}

// Chooses the event of counts without one.
void ChooseEvent(std::string_view units, ReceivedProfile* profile) {
  ProfileEvent& event = profile->event;
  if (units.empty() || units == "samples") {
    if (event.name.empty()) event.name = "cpu";
    event.unit = "count";
  } else if (units.ends_with("nanoseconds")) {
    if (event.name.empty()) event.name = "lock";
    event.unit = "ns";
  } else {
    if (event.name.empty()) event.name = units;
    event.unit = units == "bytes" ? "bytes" : "count";
  }
}

Result<int64_t> SampleRate(const HttpRequest& request) {
  const std::string_view text = request.Parameter("sampleRate");
  if (text.empty()) return kDefaultRate;
  const std::optional<int64_t> rate = ParseInteger(text);
  if (!rate || *rate < 1 || *rate > kMaxRate) {
    return Fail(fmt::format("sampleRate: expected samples per second from 1 to {}, found '{}'", kMaxRate, text));
  }
  return *rate;
}

// The form part that contains the profile.
Result<std::string_view> ProfilePart(const HttpRequest& request, std::string_view format) {
  const Result<std::vector<FormPart>> parts = ParseMultipart(request.Header("content-type"), request.body);
  if (!parts) return tl::unexpected(parts.error());
  std::optional<std::string_view> content;
  for (const FormPart& part : *parts) {
    if (part.name == "prev_profile" && !part.content.empty()) {
      return Fail("prev_profile: cumulative profiles are unsupported; use a client that sends differences");
    }
    if (part.name == format || part.name == "profile") content = part.content;
  }
  if (!content) return Fail(fmt::format("the form has no part '{}' or 'profile'", format));
  return *content;
}

// Adds the count 1 to each line of stacks: "root;leaf 1".
std::string WithCounts(std::string_view lines) {
  std::string text;
  for (const std::string_view line : Split(lines, '\n')) {
    if (!Trim(line).empty()) text += fmt::format("{} 1\n", Trim(line));
  }
  return text;
}

// Sets properties of a profile from its series' labels.
Result<void> UseLabels(std::vector<std::pair<std::string, std::string>> labels, ReceivedProfile* profile) {
  std::string service, name;
  for (auto& [key, value] : labels) {
    if (key == "service_name")
      service = std::move(value);
    else if (key == "__name__")
      name = std::move(value);
    else if (!key.starts_with("__"))
      profile->labels[std::move(key)] = std::move(value);
  }
  if (service.empty()) service = name;
  if (service.empty()) return Fail("labels: expected service_name or __name__");
  profile->service = std::move(service);
  return {};
}

Result<void> AddSeries(std::vector<std::pair<std::string, std::string>> labels, std::vector<std::string> samples,
                       ReceivedProfiles* received) {
  ReceivedProfile profile;
  if (Result<void> used = UseLabels(std::move(labels), &profile); !used) return used;
  for (std::string& sample : samples) {
    if (received->profiles.size() == kMaxSeries) {
      return Fail(fmt::format("series: more than {} profiles in one request", kMaxSeries));
    }
    received->contents.push_back(std::move(sample));
    profile.content = received->contents.back();
    received->profiles.push_back(profile);
  }
  return {};
}

Result<void> ReadSeries(MessageReader series, ReceivedProfiles* received) {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::string> samples;
  while (series.next()) {
    if (series.tag() != 1 && series.tag() != 2) {
      series.skip();
      continue;
    }
    const bool is_label = series.tag() == 1;
    MessageReader part = series.get_message();
    std::pair<std::string, std::string> label;
    while (part.next()) {
      if (is_label && part.tag() == 1) {
        label.first = part.get_string();
      } else if (is_label && part.tag() == 2) {
        label.second = part.get_string();
      } else if (!is_label && part.tag() == 1) {
        samples.push_back(part.get_bytes());
      } else {
        part.skip();
      }
    }
    if (is_label) labels.push_back(std::move(label));
  }
  return AddSeries(std::move(labels), std::move(samples), received);
}

Result<void> ReadPush(std::string_view body, ReceivedProfiles* received) {
  MessageReader message{body.data(), body.size()};
  try {
    while (message.next()) {
      if (message.tag() != 1) {
        message.skip();
        continue;
      }
      if (Result<void> read = ReadSeries(message.get_message(), received); !read) return read;
    }
  } catch (const protozero::exception& error) {
    return Fail(fmt::format("offset {}: expected the next field of a PushRequest: {}", body.size() - message.length(),
                            error.what()));
  }
  return {};
}

std::string TextOfMember(const simdjson::dom::element& object, std::string_view name) {
  std::string_view text;
  return object.at_key(name).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

Result<void> ReadJsonSeries(const simdjson::dom::element& series, ReceivedProfiles* received) {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::string> samples;
  simdjson::dom::array rows;
  if (series.at_key("labels").get(rows) == simdjson::SUCCESS) {
    for (const simdjson::dom::element& label : rows)
      labels.emplace_back(TextOfMember(label, "name"), TextOfMember(label, "value"));
  }
  if (series.at_key("samples").get(rows) == simdjson::SUCCESS) {
    for (const simdjson::dom::element& sample : rows) {
      std::string text = TextOfMember(sample, "rawProfile");
      if (text.empty()) text = TextOfMember(sample, "raw_profile");
      std::optional<std::string> bytes = Base64Decode(text);
      if (!bytes) return Fail("series.samples.rawProfile: expected base64");
      samples.push_back(std::move(*bytes));
    }
  }
  return AddSeries(std::move(labels), std::move(samples), received);
}

Result<void> ReadJsonPush(std::string_view body, ReceivedProfiles* received) {
  JsonParser parser;
  simdjson::dom::object request;
  if (const auto error = parser.Parse(body).get(request); error != simdjson::SUCCESS) {
    return Fail(fmt::format("expected a PushRequest in JSON: {}", simdjson::error_message(error)));
  }
  simdjson::dom::array series;
  if (request.at_key("series").get(series) != simdjson::SUCCESS) return {};
  for (const simdjson::dom::element& one : series) {
    if (Result<void> read = ReadJsonSeries(one, received); !read) return read;
  }
  return {};
}

}  // namespace

Result<ReceivedProfiles> ParseIngest(const HttpRequest& request, int64_t now_ns) {
  ReceivedProfiles received;
  ReceivedProfile profile;
  if (Result<void> named = ParseName(request.Parameter("name"), &profile); !named) return tl::unexpected(named.error());
  const Result<int64_t> from = TimeOf(request, "from", now_ns);
  if (!from) return tl::unexpected(from.error());
  const Result<int64_t> until = TimeOf(request, "until", *from);
  if (!until) return tl::unexpected(until.error());
  const Result<int64_t> rate = SampleRate(request);
  if (!rate) return tl::unexpected(rate.error());
  profile.start_ns = *from;
  profile.end_ns = std::max(*from, *until);
  profile.samples_per_second = *rate;
  profile.content = request.body;

  std::string_view format = request.Parameter("format");
  const bool is_form = ToLowerAscii(request.Header("content-type")).starts_with("multipart/");
  if (format.empty()) format = is_form ? "pprof" : "folded";
  if (format == "pprof" || format == "jfr") {
    profile.format = FindProfileFormat(format);
    if (is_form) {
      const Result<std::string_view> part = ProfilePart(request, format);
      if (!part) return tl::unexpected(part.error());
      profile.content = *part;
    }
    profile.event = {};
  } else if (format == "folded" || format == "collapsed" || format == "lines") {
    profile.format = FindProfileFormat("collapsed");
    ChooseEvent(request.Parameter("units"), &profile);
    if (format == "lines") {
      const Result<std::string> lines = ExpandBody(request.body);
      if (!lines) return tl::unexpected(lines.error());
      received.contents.push_back(WithCounts(*lines));
      profile.content = received.contents.back();
    }
  } else {
    return Fail(fmt::format("format: '{}' is unsupported; expected folded, lines, pprof or jfr",
                            ToOneLine(CutUtf8(format, 40))));
  }
  received.profiles.push_back(std::move(profile));
  return received;
}

Result<ReceivedProfiles> ParsePush(std::string_view body, bool is_json) {
  ReceivedProfiles received;
  Result<void> read = is_json ? ReadJsonPush(body, &received) : ReadPush(body, &received);
  if (!read) return tl::unexpected(read.error());
  return received;
}

}  // namespace sparkprof
