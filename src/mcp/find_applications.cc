// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/text.h"
#include "base/time.h"
#include "mcp/job_text.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

// More than a page contains; a search finds further ones.
constexpr size_t kMaxListed = 500;

std::string Line(const ApplicationSummary& one) {
  std::string line = fmt::format("{} {}", Marked(one.key, 120), Marked(one.name, 60));
  line += one.start_ns > 0 ? fmt::format(" · {}", FormatTimestamp(one.start_ns)) : " · start unknown";
  line += one.duration_ns >= 0 ? fmt::format(" · {}", FormatDuration(one.duration_ns)) : " · duration unknown";
  if (!one.status.empty()) line += " · " + one.status;
  if (!one.user.empty()) line += " · user " + Marked(one.user, 40);
  if (one.finding_count >= 0) line += fmt::format(" · findings {}", one.finding_count);
  if (!one.inputs.empty()) line += fmt::format(" [{}]", one.inputs);
  return line;
}

}  // namespace

Result<ToolAnswer> AnswerFindApplications(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<ApplicationList> list = source->List({.search = arguments.Text("search"), .limit = kMaxListed});
  if (!list) return tl::unexpected(list.error());
  ToolAnswer answer;
  answer.Add(fmt::format("Applications: {}. {}", list->total, kMarkNote));
  for (const ApplicationSummary& one : list->applications) answer.Add(Line(one));
  if (list->total > list->applications.size()) answer.Add("The rest is not listed: use search.");
  return answer;
}

}  // namespace sparkprof
