// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/answers.h"
#include "analysis/machines/node_use.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/time_range.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// A place with a smaller share is not mentioned.
constexpr double kLeastShare = 0.05;
// Savings with a smaller relative difference count as equal.
constexpr double kAboutEqual = 0.05;

// Stages of one call, or a part of the driver's time.
struct Place {
  int64_t ns = 0;
  PartTimes parts{};
  std::set<int32_t> stages;  // rows of Application::stages

  void Add(AccountPart part, int64_t part_ns) {
    ns += part_ns;
    parts[static_cast<size_t>(part)] += part_ns;
  }
};

// "score (job.py:12)", the function in Python that these stages spend most CPU time in; empty without samples of them.
std::string FunctionOf(const Application& application, const Place& place, const std::vector<UdfCost>& udfs) {
  for (const UdfCost& udf : udfs) {
    const bool ran = std::ranges::any_of(place.stages, [&](int32_t row) {
      return std::ranges::binary_search(udf.stages, application.stages[static_cast<size_t>(row)].id);
    });
    if (ran && udf.samples > 0) return LabelOf(udf);
  }
  return {};
}

// ", mostly Python" for stages that spend most of their time other than computing.
std::string MostlyOf(const Application& application, const Place& place, const std::vector<UdfCost>& udfs) {
  const auto most = std::ranges::max_element(place.parts);
  const auto part = static_cast<AccountPart>(most - place.parts.begin());
  const bool is_work = part == AccountPart::kCpu || part == AccountPart::kRun;
  if (place.stages.empty() || is_work || 2 * *most < place.ns) return {};
  const bool waits = part == AccountPart::kSleep || part == AccountPart::kOtherWait;
  const std::string function = part == AccountPart::kPython ? FunctionOf(application, place, udfs) : std::string();
  return fmt::format(", mostly {}{}{}", waits ? "waiting" : NameOf(part), function.empty() ? "" : ": ", function);
}

std::string TextOf(const Application& application, const Answers& answers, const std::string& name,
                   const Place& place) {
  if (place.stages.empty()) return name;
  const auto row = static_cast<size_t>(*place.stages.begin());
  const Stage& first = application.stages[row];
  const std::string mostly = MostlyOf(application, place, answers.udfs);
  if (place.stages.size() == 1) return fmt::format("stage {}.{}{}", first.id, first.attempt, mostly);
  return fmt::format("{} stages ({}){}", place.stages.size(), answers.names.stages[row].line, mostly);
}

std::string_view ArticleOf(AccountPart part) {
  if (part == AccountPart::kDriverProgram || part == AccountPart::kStreamPause) return "the ";
  return part == AccountPart::kDriverQuery || part == AccountPart::kDriverJob ? "a " : "";
}

// A stream's batch is a query; without a job, its sink works.
std::string NameOfWall(const Application& application, AccountPart part) {
  if (part == AccountPart::kDriverQuery && !application.streaming_batches.empty()) return "the stream's sink";
  return fmt::format("{}{}", ArticleOf(part), NameOf(part));
}

// Formats ", 82.1% of it in stage 3.0", ", 40.0% of it in 120 stages (collect at job.py:5)" or ", 31.5% of it in the
// driver program"; empty if no part stands out.
std::string PlaceOfTime(const Application& application, const Answers& answers) {
  const Account& account = answers.accounted->account;
  std::map<std::string, Place> places;
  std::map<int32_t, Place> of_stages;
  for (const WallEntry& entry : account.wall) {
    if (IsOfStage(entry)) {
      of_stages[entry.stage].Add(entry.part, entry.ns);
    } else {
      places[NameOfWall(application, entry.part)].Add(entry.part, entry.ns);
    }
  }
  for (const auto& [row, of_stage] : of_stages) {
    const std::string& line = answers.names.stages[static_cast<size_t>(row)].line;
    Place& place = places[line.empty() ? fmt::format("stage of row {}", row) : "in " + line];
    place.ns += of_stage.ns;
    for (size_t part = 0; part < kAccountParts; ++part) place.parts[part] += of_stage.parts[part];
    place.stages.insert(row);
  }
  const auto most =
      std::ranges::max_element(places, [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  if (most == places.end()) return {};
  const double share = static_cast<double>(most->second.ns) / static_cast<double>(account.duration_ns);
  if (share < kLeastShare) return {};
  const bool is_wait = most->first == NameOf(AccountPart::kExecutorWait);  // "95.0% of it waiting for executors"
  return fmt::format(", {} of it {}{}", FormatShare(share), is_wait ? "" : "in ",
                     TextOf(application, answers, most->first, most->second));
}

// A second finding with the same saving as the first.
const Finding* EqualTo(const std::vector<Finding>& findings) {
  if (findings.size() < 2) return nullptr;
  const Finding &first = findings[0], &second = findings[1];
  const bool is_equal = first.risk <= first.expected_share && second.saving.IsKnown() &&
                        second.is_of_machine == first.is_of_machine &&
                        second.expected_share >= (1 - kAboutEqual) * first.expected_share;
  return is_equal && !IsFolded(second) ? &second : nullptr;
}

}  // namespace

std::string SavedTime(const Finding& finding) {
  return finding.saving.IsKnown() ? FormatDurationRange(finding.saving.low_ns, finding.saving.high_ns) : std::string();
}

std::string SavingRange(const Finding& finding) {
  const std::string time = SavedTime(finding);
  return time.empty() ? time : "could save " + time;
}

std::string VerdictOf(const Application& application, const Answers& answers) {
  if (application.is_node) {
    const std::string host = HostInWords(application, RangeOf(application));
    if (!host.empty()) return host;
  }
  const bool has_findings = !answers.findings.empty();
  const std::string_view missing = MissingFromLogs(application);
  if (has_findings && answers.findings.front().is_failure) {
    return fmt::format("{}.{}", answers.findings.front().title, missing.empty() ? "" : " " + ExcerptInWords(missing));
  }
  const Account& account = answers.accounted->account;
  std::string text;
  if (!missing.empty()) {
    text = ExcerptInWords(missing) + " ";
  } else if (account.duration_ns > 0 && !PartsKnownOf(application).jobs) {
    text = fmt::format("{} without data from the driver. ", FormatDuration(account.duration_ns));
  } else if (account.duration_ns > 0) {
    text = fmt::format("{}{}{}. ", FormatDuration(account.duration_ns), account.is_running ? " so far" : "",
                       PlaceOfTime(application, answers));
  }
  if (!has_findings || IsFolded(answers.findings.front())) return text + NoFindingsText(answers.rules) + ".";
  const Finding& first = answers.findings.front();
  const std::string saving = SavingRange(first);
  text += fmt::format("{}{}{}.", first.title, saving.empty() ? "" : "; ", saving);
  if (const Finding* const equal = EqualTo(answers.findings)) text += fmt::format(" As much: {}.", equal->title);
  return text;
}

}  // namespace sparkprof
