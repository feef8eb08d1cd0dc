// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/escaped_text.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "suite/statistics.h"

namespace sparkprof {
namespace {

std::string AttributeText(std::string_view text) { return EscapeXml(ToOneLine(text)); }

struct TestCase {
  std::string job, name, failure, skipped;
  double seconds = 0;
};

std::string Junit(std::string_view suite, const std::vector<TestCase>& cases) {
  size_t failures = 0, skipped = 0;
  std::string body;
  for (const TestCase& test : cases) {
    failures += test.failure.empty() ? 0 : 1;
    skipped += test.skipped.empty() ? 0 : 1;
    body += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">", AttributeText(test.job),
                        AttributeText(test.name), test.seconds);
    if (!test.failure.empty()) body += fmt::format("<failure message=\"{}\"/>", AttributeText(test.failure));
    if (!test.skipped.empty()) body += fmt::format("<skipped message=\"{}\"/>", AttributeText(test.skipped));
    body += "</testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
      "skipped=\"{}\">\n{}"
      "</testsuite>\n",
      AttributeText(suite), cases.size(), failures, skipped, body);
}

std::string Change(const MeasureComparison& measure) {
  const std::string values = fmt::format("{} → {}", MeasureText(measure.measure, measure.earlier_median),
                                         MeasureText(measure.measure, measure.later_median));
  if (measure.earlier_median <= 0) return values;
  return fmt::format("{} ({:+.1f}%)", values, 100 * (measure.later_median / measure.earlier_median - 1));
}

std::string MedianText(const JobResult& job, const std::string& measure) {
  const auto measures = MeasuresOf(job);
  const auto found = measures.find(measure);
  if (found == measures.end()) return "";
  return MeasureText(measure, Quantile(found->second, 0.5));
}

}  // namespace

std::string ResultsJunit(const SuiteResults& results) {
  std::vector<TestCase> cases;
  for (const JobResult& job : results.jobs) {
    for (const RepeatResult& repeat : job.repeats) {
      TestCase test{JobLabel(job), fmt::format("repeat {}", repeat.repeat), "", "", repeat.seconds};
      if (repeat.exit_code != 0)
        test.failure = fmt::format("exit code {}; see {}/output.log", repeat.exit_code, repeat.folder);
      cases.push_back(std::move(test));
    }
  }
  return Junit(results.suite, cases);
}

std::string ComparisonJunit(const SuiteComparison& comparison) {
  std::vector<TestCase> cases;
  for (const MeasureComparison& measure : comparison.measures) {
    TestCase test{measure.job, measure.measure, "", "", 0};
    if (measure.verdict == Verdict::kWorse) test.failure = Change(measure);
    if (measure.verdict == Verdict::kTooFewRepeats) test.skipped = TooFewRepeats(measure);
    cases.push_back(std::move(test));
  }
  for (const std::string& failure : comparison.failures) cases.push_back({"jobs", failure, failure, "", 0});
  return Junit("comparison", cases);
}

std::string ResultsMarkdown(const SuiteResults& results) {
  std::string text =
      fmt::format("{}: {}\n\n| job | repeats | failed | seconds | CPU | memory |\n|---|---:|---:|---:|---:|---:|\n",
                  EscapeMarkdown(results.suite), results.status);
  for (const JobResult& job : results.jobs) {
    const auto failed = std::count_if(job.repeats.begin(), job.repeats.end(),
                                      [](const RepeatResult& repeat) { return repeat.exit_code != 0; });
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", EscapeMarkdown(JobLabel(job)), job.repeats.size(), failed,
                        MedianText(job, "seconds"), MedianText(job, "cpuSeconds"), MedianText(job, "maxRssBytes"));
  }
  std::vector<Growth> fitted = FitGrowth(results);
  // Values by process type are in the summary.
  std::erase_if(fitted, [](const Growth& growth) { return growth.measure.find('.') != std::string::npos; });
  if (fitted.empty()) return text;
  text += "\n| job | measure | exponent of growth with size |\n|---|---|---:|\n";
  for (const Growth& growth : fitted) {
    text += fmt::format("| {} | {} | {:.2f} ± {:.2f} |\n", EscapeMarkdown(growth.job), EscapeMarkdown(growth.measure),
                        growth.exponent, growth.error);
  }
  return text;
}

std::string ComparisonMarkdown(const SuiteComparison& comparison) {
  std::string text = "| job | measure | change of the median | p | verdict |\n|---|---|---|---:|---|\n";
  for (const MeasureComparison& measure : comparison.measures) {
    text +=
        fmt::format("| {} | {} | {} | {:.3f} | {} |\n", EscapeMarkdown(measure.job), EscapeMarkdown(measure.measure),
                    Change(measure), measure.probability,
                    measure.verdict == Verdict::kTooFewRepeats ? TooFewRepeats(measure) : VerdictName(measure.verdict));
  }
  for (const std::string& failure : comparison.failures)
    text += fmt::format("| {} | | | | failed |\n", EscapeMarkdown(failure));
  return text;
}

std::string ComparisonSummary(const SuiteComparison& comparison) {
  constexpr size_t kMaxRows = 16;  // fits, with the other lines, into the 24 of a terminal
  const std::vector<std::string> main = ComparisonOptions().measures;
  const auto rank = [&](const MeasureComparison& measure) {
    if (measure.verdict == Verdict::kWorse) return 0;
    if (measure.verdict == Verdict::kBetter) return 1;
    return std::find(main.begin(), main.end(), measure.measure) == main.end() ? 3 : 2;
  };
  SuiteComparison shown = comparison;
  if (shown.measures.size() > kMaxRows) {
    std::stable_sort(shown.measures.begin(), shown.measures.end(),
                     [&](const MeasureComparison& a, const MeasureComparison& b) { return rank(a) < rank(b); });
    shown.measures.resize(kMaxRows);
  }
  const size_t failures = std::min(shown.failures.size(), kMaxRows / 4);
  shown.failures.resize(failures);
  std::string text = ComparisonMarkdown(shown);
  const size_t others = comparison.measures.size() - shown.measures.size() + comparison.failures.size() - failures;
  if (others > 0) text += fmt::format("\nand {} more; --markdown FILE and --json have all\n", others);
  return text;
}

std::string ComparisonJson(const SuiteComparison& comparison) {
  JsonWriter json;
  json.BeginObject().Key("measures").BeginArray();
  for (const MeasureComparison& measure : comparison.measures) {
    json.BeginObject().Member("job", measure.job).Member("measure", measure.measure);
    json.Member("earlierRepeats", measure.earlier_repeats).Member("laterRepeats", measure.later_repeats);
    json.Member("earlierMedian", measure.earlier_median).Member("laterMedian", measure.later_median);
    json.Member("probability", measure.probability).Member("verdict", VerdictName(measure.verdict)).EndObject();
  }
  json.EndArray().Key("failures").BeginArray();
  for (const std::string& failure : comparison.failures) json.Value(failure);
  return json.EndArray().EndObject().Take() + "\n";
}

}  // namespace sparkprof
