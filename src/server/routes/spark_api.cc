// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/io/compression.h"
#include "base/time.h"
#include "history/application_list.h"
#include "history/event_log_zip.h"
#include "history/history_answers.h"
#include "recording/event_log_recording.h"
#include "server/applications/history_cache.h"
#include "server/applications/loaded_history.h"
#include "server/folders/collector_files.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"
#include "server/routes/recorded_event_logs.h"

namespace sparkprof {
namespace {

constexpr std::string_view kSparkVersion = "4.1.1";  // version of the API that is implemented
constexpr uint64_t kMaxZipBytes = uint64_t{1} << 30;
constexpr size_t kZipPart = size_t{16} << 20;
constexpr std::string_view kResources[] = {
    "jobs",        "stages", "executors", "allexecutors", "allmiscellaneousprocess",
    "environment", "sql",    "storage",   "connect",      "logs"};

// Errors are plain text, as in Spark.
HttpResponse ToResponse(HistoryAnswer answer) {
  const bool is_json = answer.status == 200;
  return MakeResponse(answer.status, is_json ? "application/json" : "text/plain; charset=utf-8",
                      std::move(answer.body));
}

int64_t NowMillis() { return EpochNanos() / kNanosPerMilli; }

ListedApplication ToListed(const EventLogListing& listing) {
  ListedApplication application;
  application.id = listing.id;
  for (auto at = listing.attempts.rbegin(); at != listing.attempts.rend(); ++at) {
    if (application.name.empty()) application.name = at->name;
    ListedAttempt& attempt = application.attempts.emplace_back();
    attempt.id = at->attempt;
    attempt.user = at->user;
    attempt.spark_version = at->spark_version;
    attempt.start_ms = at->start_ns / kNanosPerMilli;
    attempt.end_ms = at->end_ns / kNanosPerMilli;
    attempt.updated_ms = at->modified_ns / kNanosPerMilli;
    attempt.is_completed = at->completed;
  }
  return application;
}

// Attempts of watched folders and sent ones. The folder wins if an application has both.
Result<std::vector<EventLogListing>> ListAll(const ServerParts& parts) {
  std::vector<EventLogListing> listings = parts.event_logs->ListEventLogs();
  Result<std::vector<EventLogListing>> recorded = ListRecordedEventLogs(parts, std::nullopt);
  if (!recorded) return tl::unexpected(recorded.error());
  std::set<std::string> known;
  for (const EventLogListing& listing : listings) known.insert(listing.id);
  for (EventLogListing& listing : *recorded) {
    if (!known.contains(listing.id)) listings.push_back(std::move(listing));
  }
  return listings;
}

// The result has no attempts if the application does not exist.
Result<EventLogListing> FindListing(const ServerParts& parts, const std::string& id) {
  EventLogListing listing{.id = id, .attempts = {}};
  for (StoredEventLog& log : parts.event_logs->Find(id)) listing.attempts.push_back(std::move(log.attempt));
  if (!listing.attempts.empty()) return listing;
  Result<std::vector<EventLogListing>> recorded = ListRecordedEventLogs(parts, id);
  if (!recorded) return tl::unexpected(recorded.error());
  return recorded->empty() ? listing : std::move(recorded->front());
}

// Whether `viewer` may not read the application, or one attempt of it.
bool IsRefused(const EventLogListing& listing, const std::string& attempt, const std::optional<Viewer>& viewer) {
  return viewer && std::any_of(listing.attempts.begin(), listing.attempts.end(), [&](const EventLogAttempt& one) {
           return (attempt.empty() || one.attempt == attempt) && !MayView(one.viewers, *viewer);
         });
}

std::string_view LastName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Files of a rolled log are in a folder, also in the archive.
void AddMembers(const EventLogFiles& log, std::vector<ZipMember>* members) {
  for (const std::string& path : log.paths) {
    const std::string_view folder = LastName(std::string_view(path).substr(0, path.rfind('/')));
    const bool is_rolled = folder.starts_with("eventlog_v2_");
    members->push_back({path, fmt::format("{}{}{}", is_rolled ? folder : "", is_rolled ? "/" : "", LastName(path))});
  }
}

Result<ZipMember> MemberOf(const EventLogFiles& log) {
  const Result<RecordedEventLog> recorded = RecordedEventLog::Read(log.paths, log.attempt);
  if (!recorded) return tl::unexpected(recorded.error());
  const std::string name = FileNameFor(log.id + (log.attempt.empty() ? "" : "_") + log.attempt);
  ZipMember member{.path = {}, .name = name + ".zstd"};
  const std::unique_ptr<ByteSource> lines = recorded->Open();
  std::optional<Error> error;
  for (std::string part = ReadUpTo(lines.get(), kZipPart, &error); !part.empty();
       part = ReadUpTo(lines.get(), kZipPart, &error)) {
    member.content += ZstdCompress(part);
  }
  return error ? tl::unexpected(*error) : Result<ZipMember>(std::move(member));
}

HttpResponse GetLogs(ServerParts* parts, const std::vector<EventLogFiles>& logs, const std::string& id,
                     const std::string& attempt) {
  std::vector<ZipMember> members;
  for (const EventLogFiles& log : logs) {
    if (!attempt.empty() && log.attempt != attempt) continue;
    if (!log.is_recorded) {
      AddMembers(log, &members);
      continue;
    }
    Result<ZipMember> member = MemberOf(log);
    if (!member) return ToResponse({503, member.error().message});
    members.push_back(std::move(*member));
  }
  if (members.empty()) return ToResponse({404, "no such app: " + id + (attempt.empty() ? "" : "/" + attempt)});
  Result<HttpBodyStream> zip = StreamThroughFile(
      parts->options.data, [&](const WritePiece& write) { return ZipFiles(members, kMaxZipBytes, write); });
  if (!zip)
    return ToResponse({503, fmt::format("Event logs are not available for app: {}. {}", id, zip.error().message)});
  HttpResponse response = MakeResponse(200, "application/octet-stream", "");
  response.stream = std::move(*zip);
  response.headers.emplace_back(
      "content-disposition",
      AttachmentNamed(fmt::format("eventLogs-{}{}{}.zip", id, attempt.empty() ? "" : "-", attempt)));
  return response;
}

// Requests with the same key for one event log have the same answer.
std::string KeyOf(const HttpRequest& request, std::span<const std::string> path) {
  std::string key = AcceptsGzip(request) ? "gzip" : "plain";
  const auto add = [&key](char separator, const std::string& text) { key.append(1, separator).append(text); };
  for (const std::string& segment : path) add('\0', segment);
  for (const auto& [name, value] : request.parameters) {
    add('\1', name);
    add('\2', value);
  }
  return key;
}

}  // namespace

HttpResponse GetSparkVersion(ServerParts*, const HttpRequest&, const Captured&) {
  JsonWriter json;
  json.BeginObject().Member("spark", kSparkVersion).EndObject();
  return ToResponse({200, json.Take()});
}

HttpResponse ListSparkApplications(ServerParts* parts, const HttpRequest& request, const Captured&) {
  Result<std::vector<EventLogListing>> listings = ListAll(*parts);
  if (!listings) return ToResponse({503, listings.error().message});
  const std::optional<Viewer> viewer = parts->options.access.ViewerOf(request);
  std::vector<ListedApplication> applications;
  for (EventLogListing& listing : *listings) {
    std::erase_if(listing.attempts,
                  [&](const EventLogAttempt& one) { return viewer && !MayView(one.viewers, *viewer); });
    if (listing.attempts.empty()) continue;
    listing.id = parts->entries->NameFor(listing.id, viewer);
    applications.push_back(ToListed(listing));
  }
  return ToResponse(AnswerApplications(std::move(applications), request.parameters, NowMillis()));
}

// `captured`: the application, optionally an attempt, then the requested resource.
HttpResponse GetSparkApplication(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const std::string id = ResolveEntry(*parts, request, captured[0]);
  const Result<OpeningMarks::Mark> mark = parts->marks->Begin(id);
  if (!mark) return ToResponse({503, mark.error().message});
  const bool has_attempt = captured.size() > 1 &&
                           std::find(std::begin(kResources), std::end(kResources), captured[1]) == std::end(kResources);
  const std::string attempt = has_attempt ? captured[1] : std::string();
  Result<EventLogListing> listing = FindListing(*parts, id);
  if (!listing) return ToResponse({503, listing.error().message});
  const std::optional<Viewer> viewer = parts->options.access.ViewerOf(request);
  if (IsRefused(*listing, attempt, viewer)) {
    return ToResponse({403, fmt::format("user \"{}\" is not authorized", viewer->user)});
  }
  listing->id = captured[0];
  const ListedApplication application = ToListed(*listing);
  const ListedApplication* const listed = listing->attempts.empty() ? nullptr : &application;
  if (captured.size() == 1) return ToResponse(AnswerApplication(listed, captured[0]));
  if (has_attempt && captured.size() == 2) return ToResponse(AnswerAttempt(listed, captured[0], attempt));
  const auto path = std::span<const std::string>(captured).subspan(has_attempt ? 2 : 1);
  std::vector<EventLogFiles> logs = parts->event_logs->FindEventLogs(id);
  if (logs.empty()) {
    for (const EventLogAttempt& one : listing->attempts) {
      Result<std::optional<EventLogFiles>> recorded = FindRecordedEventLog(*parts, id, one.attempt);
      if (!recorded) return ToResponse({503, recorded.error().message});
      if (*recorded) logs.push_back(std::move(**recorded));
    }
  }
  if (path.size() == 1 && path[0] == "logs") return GetLogs(parts, logs, captured[0], attempt);
  const auto log =
      std::find_if(logs.begin(), logs.end(), [&](const EventLogFiles& one) { return one.attempt == attempt; });
  if (log == logs.end()) return ToResponse({404, "no such app: " + captured[0] + (has_attempt ? "/" + attempt : "")});
  const Result<std::shared_ptr<LoadedHistory>> loaded = parts->histories->Get(*log);
  if (!loaded) return ToResponse({503, loaded.error().message});
  const History& history = (*loaded)->history;
  const auto make = [&] {
    HttpResponse response = ToResponse(AnswerHistory(history, path, request.parameters, NowMillis()));
    Compress(request, &response);
    return response;
  };
  if (DependsOnNow(history, path)) return make();
  return (*loaded)->answers.Get(KeyOf(request, path), make);
}

}  // namespace sparkprof
