// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/answer_limit.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "catalogue/application_cursor.h"
#include "recording/recordings.h"
#include "render/report/answers_json.h"
#include "render/report/info.h"
#include "server/applications/application_json.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLimit = 1000;
constexpr uint64_t kMaxRecordingAnswer = uint64_t{1} << 30;

struct OrderName {
  std::string_view name;
  ApplicationOrder order;
};
constexpr OrderName kOrders[] = {
    {"startTime", ApplicationOrder::kStart},     {"endTime", ApplicationOrder::kEnd},
    {"durationMs", ApplicationOrder::kDuration}, {"tasks", ApplicationOrder::kTasks},
    {"cpuSeconds", ApplicationOrder::kCpu},      {"findings", ApplicationOrder::kFindings},
    {"savingMs", ApplicationOrder::kSaving},     {"name", ApplicationOrder::kName},
    {"user", ApplicationOrder::kUser},           {"group", ApplicationOrder::kGroup},
    {"status", ApplicationOrder::kStatus},
};

std::optional<std::string> Optional(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

Result<ApplicationQuery> ParseQuery(const HttpRequest& request) {
  if (Result<void> known = CheckParameters(request, "search group user status finding nodes from to sort limit cursor");
      !known) {
    return tl::unexpected(known.error());
  }
  ApplicationQuery query;
  query.search = request.Parameter("search");
  query.group = Optional(request.Parameter("group"));
  query.user = Optional(request.Parameter("user"));
  query.finding = Optional(request.Parameter("finding"));
  query.cursor = request.Parameter("cursor");
  if (const std::string_view nodes = request.Parameter("nodes"); !nodes.empty()) {
    if (nodes != "true" && nodes != "false") return Fail(fmt::format("nodes: '{}' is not true or false", nodes));
    query.without_nodes = nodes == "false";
  }
  if (const std::string_view status = request.Parameter("status"); !status.empty()) {
    query.status = ParseStatus(status);
    if (!query.status) {
      return Fail(fmt::format("status: '{}' is not one of running, finished, failed, incomplete", status));
    }
  }
  const Result<TimeParameters> range = RangeParameters(request);
  if (!range) return tl::unexpected(range.error());
  query.from_ns = range->from_ns;
  query.to_ns = range->to_ns;
  if (std::string_view sort = request.Parameter("sort"); !sort.empty()) {
    query.descending = sort.starts_with('-');
    if (query.descending) sort.remove_prefix(1);
    const auto* order = std::find_if(std::begin(kOrders), std::end(kOrders),
                                     [sort](const OrderName& known) { return known.name == sort; });
    if (order == std::end(kOrders)) return Fail(fmt::format("sort: unknown column '{}'", sort));
    query.order = order->order;
  }
  if (const std::string_view limit = request.Parameter("limit"); !limit.empty()) {
    const std::optional<int64_t> number = ParseInteger(limit);
    if (!number || *number < 1 || *number > static_cast<int64_t>(kMaxLimit)) {
      return Fail(fmt::format("limit: '{}' is not a number from 1 to {}", limit, kMaxLimit));
    }
    query.limit = static_cast<size_t>(*number);
  }
  if (!query.cursor.empty()) {
    if (const Result<ApplicationCursor> cursor = ParseCursor(query); !cursor) return tl::unexpected(cursor.error());
  }
  return query;
}

// The requested attempt, or an error response.
struct FoundAttempt {
  std::shared_ptr<const CachedApplication> application;
  std::shared_ptr<CachedAttempt> attempt;
  HttpResponse refusal;
};

FoundAttempt FindAttempt(ServerParts* parts, const HttpRequest& request, const std::string& id) {
  FoundAttempt found;
  Result<std::shared_ptr<const CachedApplication>> application = parts->cache->Get(ResolveEntry(*parts, request, id));
  if (!application) {
    found.refusal = ErrorResponse(503, application.error().message);
    return found;
  }
  if (*application == nullptr) {
    found.refusal = ErrorResponse(404, fmt::format("application {} is unknown", id));
    return found;
  }
  found.application = *application;
  const std::string_view attempt = request.Parameter("attempt");
  const std::shared_ptr<CachedAttempt> asked = found.application->Attempt(attempt);
  if (!asked) {
    found.refusal = ErrorResponse(404, fmt::format("application {} has no attempt {}", id, attempt));
  } else if (std::optional<HttpResponse> refusal = RefuseViewer(*parts, request, id, asked->Viewers())) {
    found.refusal = std::move(*refusal);
  } else {
    found.attempt = asked;
  }
  return found;
}

// Data and pictures of an application change only with its recording.
HttpHeaders Versioned(const std::string& version) {
  return {{"etag", "\"" + version + "\""}, {"cache-control", "private, no-cache"}};
}

bool IsUnchanged(const HttpRequest& request, const std::string& version) {
  return request.Header("if-none-match").find("\"" + version + "\"") != std::string_view::npos;
}

HttpResponse NotModified(const std::string& version) { return {304, Versioned(version), nullptr}; }

}  // namespace

HttpResponse ListApplications(ServerParts* parts, const HttpRequest& request, const Captured&) {
  Result<ApplicationQuery> query = ParseQuery(request);
  if (!query) return ErrorResponse(400, query.error().message);
  query->viewer = parts->options.access.ViewerOf(request);
  const Result<ApplicationPage> page = parts->catalogue->Applications(*query);
  if (!page) return ErrorResponse(503, page.error().message);
  JsonWriter json;
  json.BeginObject().Key("applications").BeginArray();
  for (ApplicationRow row : page->applications) {
    row.key.id = parts->entries->NameFor(row.key.id, query->viewer);
    WriteApplicationRow(row, parts->options.prices, &json);
  }
  json.EndArray().MemberOrNull("next", !page->next.empty(), page->next);
  json.Member("total", page->total).EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse GetApplication(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const FoundAttempt found = FindAttempt(parts, request, captured[0]);
  if (!found.attempt) return found.refusal;
  std::vector<std::shared_ptr<const Answers>> answers;
  std::vector<AnsweredRun> runs;
  for (const std::shared_ptr<CachedAttempt>& attempt : found.application->attempts) {
    const bool is_asked = request.Parameter("attempt").empty() || attempt == found.attempt;
    if (!is_asked || RefuseViewer(*parts, request, captured[0], attempt->Viewers())) continue;
    answers.push_back(attempt->GetAnswers());
    runs.push_back({attempt->Recorded(), *answers.back()});
  }
  return MakeResponse(200, "application/json", RenderInfoJson(runs, &found.application->status) + "\n");
}

HttpResponse GetApplicationFindings(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  if (Result<void> known = CheckParameters(request, "attempt"); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const FoundAttempt found = FindAttempt(parts, request, captured[0]);
  if (!found.attempt) return found.refusal;
  if (IsUnchanged(request, found.application->version)) return NotModified(found.application->version);
  const Application& application = found.attempt->Recorded();
  const std::shared_ptr<const Answers> answers = found.attempt->GetAnswers();
  JsonWriter json;
  json.BeginObject().Member("verdict", answers->verdict).Key("findings").BeginArray();
  for (const Finding& finding : answers->findings) WriteFinding(application, finding, answers->costs, &json);
  json.EndArray().EndObject();
  HttpResponse response = JsonResponse(std::move(json));
  const HttpHeaders versioned = Versioned(found.application->version);
  response.headers.insert(response.headers.end(), versioned.begin(), versioned.end());
  return response;
}

HttpResponse GetApplicationFlame(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const FoundAttempt found = FindAttempt(parts, request, captured[0]);
  if (!found.attempt) return found.refusal;
  if (IsUnchanged(request, found.application->version)) return NotModified(found.application->version);
  const Result<PictureRequest> picture =
      ParsePictureParameters(PictureKind::kFlame, ParametersWithout(request.parameters, "attempt"));
  if (!picture) return ErrorResponse(400, picture.error().message);
  const bool has_answers = picture->Needs().answers;
  const bool fold = !picture->selection.pyspark_frames && !has_answers;
  const std::shared_ptr<const Application> application = found.attempt->In(picture->ShownLanguage(), fold);
  const std::shared_ptr<const Answers> answers = has_answers ? found.attempt->GetAnswers() : nullptr;
  return PictureResponse(DrawFlame(*application, answers.get(), *picture), Versioned(found.application->version));
}

HttpResponse GetApplicationRecording(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const FoundAttempt found = FindAttempt(parts, request, captured[0]);
  if (!found.attempt) return found.refusal;
  if (IsUnchanged(request, found.application->version)) return NotModified(found.application->version);
  const AnswerLimit unlimited(AnswerLimit::kUnlimited);  // safe: blocks are small and the file is bounded
  uint64_t bytes = 0;
  Result<HttpBodyStream> blocks = StreamThroughFile(parts->options.data, [&](const WritePiece& write) -> Result<void> {
    Result<void> written;
    WriteRecording(found.attempt->Recorded(), [&](std::string_view block) {
      bytes += block.size();
      if (written && bytes > kMaxRecordingAnswer) {
        written = Fail(fmt::format("the recording is larger than {}", FormatBytes(kMaxRecordingAnswer)));
      }
      if (written) written = write(block);
    });
    return written;
  });
  if (!blocks) return ErrorResponse(bytes > kMaxRecordingAnswer ? 413 : 503, blocks.error().message);
  HttpResponse response{200, Versioned(found.application->version), nullptr};
  response.headers.emplace_back("content-type", "application/octet-stream");
  response.stream = std::move(*blocks);
  return response;
}

HttpResponse GetApplicationReport(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const FoundAttempt found = FindAttempt(parts, request, captured[0]);
  if (!found.attempt) return found.refusal;
  if (IsUnchanged(request, found.application->version)) return NotModified(found.application->version);
  HttpResponse response{200, Versioned(found.application->version), found.attempt->PageData()};
  response.headers.emplace_back("content-type", "application/octet-stream");
  response.headers.emplace_back("content-encoding", "gzip");
  return response;
}

}  // namespace sparkprof
