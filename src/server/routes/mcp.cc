// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <random>

#include "analysis/python/stitch.h"
#include "base/cancellation.h"
#include "base/text/text.h"
#include "mcp/job_text.h"
#include "mcp/mcp_server.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/proofs.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

// The applications that the request's token may see.
class CollectorApplications : public ApplicationSource {
 public:
  CollectorApplications(ServerParts* parts, const HttpRequest& request) : parts_(parts), request_(request) {}

  Result<ApplicationList> List(const ListQuery& query) override {
    ApplicationQuery asked{.search = query.search, .viewer = parts_->options.access.ViewerOf(request_)};
    asked.limit = query.offset + query.limit;
    const Result<ApplicationPage> page = ApplicationsInCatalogue(asked);
    if (!page) return tl::unexpected(page.error());
    ApplicationList list{.total = static_cast<size_t>(page->total)};
    for (size_t i = query.offset; i < page->applications.size(); ++i) {
      const ApplicationRow& row = page->applications[i];
      ApplicationSummary one;
      const std::string name = parts_->entries->NameFor(row.key.id, asked.viewer);
      one.key = row.key.attempt.empty() ? name : fmt::format("{}/{}", name, row.key.attempt);
      one.name = row.name;
      one.user = row.user;
      one.status = StatusName(row.status);
      one.start_ns = row.start_ns;
      if (row.start_ns > 0 && row.end_ns >= row.start_ns) one.duration_ns = row.end_ns - row.start_ns;
      if (row.findings != kUnknownTotal) one.finding_count = row.findings;
      list.applications.push_back(std::move(one));
    }
    return list;
  }

  Result<AskedApplication> Load(const std::string& key) override {
    const size_t slash = key.rfind('/');
    const std::string id = key.substr(0, slash);
    const std::string attempt_name = slash == std::string::npos ? "" : key.substr(slash + 1);
    const Result<std::shared_ptr<const CachedApplication>> found =
        parts_->cache->Get(ResolveEntry(*parts_, request_, id));
    if (!found) return MarkedError(found.error());
    const std::shared_ptr<CachedAttempt> attempt = *found == nullptr ? nullptr : (*found)->Attempt(attempt_name);
    // An invisible application is reported like a missing one.
    if (!attempt || RefuseViewer(*parts_, request_, id, attempt->Viewers())) {
      return Fail(fmt::format("no application {}: find_applications lists the IDs", Marked(key, 80)));
    }
    AskedApplication asked;
    asked.recorded = std::shared_ptr<const Application>(attempt, &attempt->Recorded());
    asked.merged = attempt->In(Language::kMerged, /*fold=*/true);
    asked.answers = attempt->GetAnswers();
    return asked;
  }

  std::vector<KnownProof> Proofs(const std::string& group) override {
    std::vector<KnownProof> proofs;
    for (const auto& stored : VisibleProofs(*parts_, request_, group)) proofs.push_back(stored->proof);
    return proofs;
  }

 private:
  // The catalogue's library uses this program's `new` and may abort if that throws.
  Result<ApplicationPage> ApplicationsInCatalogue(const ApplicationQuery& query) const {
    const Cancellation::Pause pause;
    return parts_->catalogue->Applications(query);
  }

  ServerParts* parts_;
  const HttpRequest& request_;
};

// Links a client's calls to its cancellations. The server keeps no other session state.
std::string NewSession() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

bool IsCall(const McpMessage& message) {
  return message.kind == McpMessageKind::kRequest && message.method == "tools/call";
}

}  // namespace

// A cancellation must not wait for the call that it cancels.
HttpLane LaneOfMcp(const HttpRequest& request) {
  constexpr size_t kMaxQuickBytes = size_t{4} << 10;
  if (request.body.size() > kMaxQuickBytes) return HttpLane::kCompute;
  return IsCall(ParseMcpMessage(request.body)) ? HttpLane::kCompute : HttpLane::kQuick;
}

HttpResponse PostMcp(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const std::string_view version = request.Header("mcp-protocol-version");
  if (!version.empty() && !IsProtocol(version)) {
    return ErrorResponse(400, "unsupported MCP-Protocol-Version: use 2025-06-18, 2025-03-26 or 2024-11-05");
  }
  const McpMessage message = ParseMcpMessage(request.body);
  CallId call{.client = parts->options.access.ClientOf(request),
              .session = std::string(request.Header("mcp-session-id")),
              .id = message.id};
  if (message.kind == McpMessageKind::kNotification && message.method == "notifications/cancelled") {
    call.id = CancelledRequest(message);
    parts->mcp_calls.Cancel(call);
    return MakeResponse(202, "application/json", "");
  }
  CollectorApplications applications(parts, request);
  const McpServer server(&applications);
  std::optional<std::string> answer;
  if (IsCall(message)) {
    answer = parts->mcp_calls.Run(call, [&] { return server.Answer(message).value_or(""); });
    if (!answer) answer = ErrorResponseTo(message.id, kRequestCancelled, "the call was cancelled");
  } else {
    answer = server.Answer(message);
  }
  if (!answer) return MakeResponse(202, "application/json", "");
  HttpResponse response =
      MakeResponse(message.kind == McpMessageKind::kInvalid ? 400 : 200, "application/json", *answer + "\n");
  if (message.method == "initialize") response.headers.emplace_back("mcp-session-id", NewSession());
  return response;
}

}  // namespace sparkprof
