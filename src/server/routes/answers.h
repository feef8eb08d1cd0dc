// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "server/server.h"

namespace sparkprof {

// Handlers of the routes in routes.cc. docs/server-api.md describes requests and answers.

using Captured = std::vector<std::string>;  // path segments that matched a *

HttpResponse PostRecordings(ServerParts* parts, const HttpRequest& request, const Captured& captured);

// Protocols of other profilers' clients.
HttpResponse PostIngest(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostPush(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PyroscopeError(const HttpRequest& request, unsigned status, std::string_view message);
HttpResponse PostQuerier(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostSettings(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetRenderDiff(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostOtlpProfiles(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse OtlpError(const HttpRequest& request, unsigned status, std::string_view message);

// The Kubernetes admission webhook.
HttpResponse PostMutate(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse ListApplications(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetApplication(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetApplicationFindings(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetApplicationFlame(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetApplicationRecording(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetApplicationReport(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse ListGroups(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetGroupFlame(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetGroupReport(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetGroupFunctions(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetGroupFindings(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetGroupSeries(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse GetConfiguration(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PutConfiguration(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse GetAutoSettings(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetAutoVersions(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostAutoSettings(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse CompareApplications(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse CompareFlames(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse PostMcp(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpLane LaneOfMcp(const HttpRequest& request);

HttpResponse PostRun(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PatchRun(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse ListRuns(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetRun(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostRunLog(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetRunLog(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostRunProcesses(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetRunProcesses(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse PostProof(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse ListProofs(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse ListNodes(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse ListNodeProcesses(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse GetPage(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetAsset(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse PostLogin(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse GetSparkVersion(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse ListSparkApplications(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetSparkApplication(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse GetFleet(ServerParts* parts, const HttpRequest& request, const Captured& captured);

HttpResponse GetHealth(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetLiveness(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetReadiness(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetMetrics(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetJobMetrics(ServerParts* parts, const HttpRequest& request, const Captured& captured);
HttpResponse GetOpenApi(ServerParts* parts, const HttpRequest& request, const Captured& captured);

}  // namespace sparkprof
