// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "render/report/embedded_file.h"
#include "render/report/report_data.h"
#include "render/writers/answer_writers.h"

namespace sparkprof {
namespace {

constexpr std::string_view kComparisonElement = R"(<script id="sparkprof-data" type="application/octet-stream">)";

// JSON cannot end the element that has it.
void AppendEscaped(std::string_view json, std::string* html) {
  for (const char c : json) {
    if (c == '<') {
      *html += "\\u003c";
    } else {
      *html += c;
    }
  }
}

}  // namespace

Result<std::string> RenderComparePage(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after,
                                      const Application& shown_before, const Application& shown_after) {
  const std::string_view page = ComparePage();
  const size_t element = page.find(kComparisonElement);
  if (element == std::string_view::npos)
    return Fail(fmt::format("the page of comparisons has no element {}; run `make build`", kComparisonElement));
  const ReportOptions options = {.budget = kReportBudget / 2};
  JsonWriter json;
  json.BeginObject().Key("change");
  WriteRuns(runs, before, after, &json);
  json.Member("before", Base64Encode(RenderReportData(shown_before, before.answers, options)));
  json.Member("after", Base64Encode(RenderReportData(shown_after, after.answers, options)));
  const std::string data = json.EndObject().Take();
  const size_t place = element + kComparisonElement.size();
  std::string html(page.substr(0, place));
  html.reserve(page.size() + data.size() + data.size() / 64);
  AppendEscaped(data, &html);
  html += page.substr(place);
  return html;
}

}  // namespace sparkprof
