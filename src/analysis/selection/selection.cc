// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "analysis/plans/operator_join.h"
#include "analysis/selection/time_range.h"
#include "base/saturate.h"
#include "base/text/contains.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "model/samples/stack_tables.h"

namespace sparkprof {
namespace {

using Mask = std::vector<uint8_t>;

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

Result<std::unique_ptr<RE2>> Compile(const std::string& expression) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<RE2>(expression, options);
  if (!compiled->ok()) return Fail(fmt::format("invalid regular expression '{}': {}", expression, compiled->error()));
  return compiled;
}

bool ConcernsTasks(const Selection& selection) {
  return selection.job || !selection.tag.empty() || selection.stage || selection.stage_attempt || selection.sql ||
         !selection.tasks.empty();
}

Mask StagesOf(const Application& application, const Selection& selection) {
  std::set<int64_t> of_job;
  std::set<int64_t> of_tag, jobs_of_tag;
  std::set<int64_t> jobs_of_sql;
  for (const Job& job : application.jobs) {
    if (selection.job && job.id == *selection.job) of_job.insert(job.stages.begin(), job.stages.end());
    if (Contains(job.tags, selection.tag)) {
      of_tag.insert(job.stages.begin(), job.stages.end());
      jobs_of_tag.insert(job.id);
    }
    if (selection.sql && job.sql_execution == *selection.sql) jobs_of_sql.insert(job.id);
  }
  Mask mask(application.stages.size());
  for (size_t row = 0; row < mask.size(); ++row) {
    const Stage& stage = application.stages[row];
    mask[row] = (!selection.stage || stage.id == *selection.stage) &&
                (!selection.stage_attempt || stage.attempt == *selection.stage_attempt) &&
                (!selection.job || stage.job == *selection.job || of_job.contains(stage.id)) &&
                (selection.tag.empty() || jobs_of_tag.contains(stage.job) || of_tag.contains(stage.id)) &&
                (!selection.sql || stage.sql_execution == *selection.sql || jobs_of_sql.contains(stage.job));
  }
  return mask;
}

Mask SelectedTasksOf(const Application& application, const Selection& selection) {
  const Tasks& tasks = application.tasks;
  const Mask stages = StagesOf(application, selection);
  const bool any_stage =
      !selection.job && selection.tag.empty() && !selection.stage && !selection.stage_attempt && !selection.sql;
  std::vector<int64_t> wanted = selection.tasks;
  std::ranges::sort(wanted);
  Mask mask(tasks.Size());
  for (size_t row = 0; row < mask.size(); ++row) {
    const int32_t stage = tasks.stage[row];
    mask[row] = (any_stage || (stage >= 0 && stages[static_cast<size_t>(stage)])) &&
                (wanted.empty() || std::ranges::binary_search(wanted, tasks.id[row]));
  }
  return mask;
}

Result<Mask> ThreadsOf(const Profile& profile, const std::string& thread) {
  Mask mask(profile.threads.size());
  if (const std::optional<int64_t> tid = ParseInteger(thread)) {
    bool found = false;
    for (size_t row = 0; row < mask.size(); ++row) {
      mask[row] = profile.threads[row].tid == *tid;
      found |= mask[row] != 0;
    }
    if (found) return mask;
  }
  const Result<std::unique_ptr<RE2>> expression = Compile(thread);
  if (!expression) return tl::unexpected(expression.error());
  for (size_t row = 0; row < mask.size(); ++row) {
    mask[row] = RE2::PartialMatch(Piece(profile.threads[row].name), **expression);
  }
  return mask;
}

// Stacks with a matching frame name or label.
Result<Mask> StacksWith(const Profile& profile, const std::string& search) {
  const Result<std::unique_ptr<RE2>> expression = Compile(search);
  if (!expression) return tl::unexpected(expression.error());
  Mask frames(profile.frames.Size());
  for (FrameId id = 1; id < frames.size(); ++id) {
    const Frame& frame = profile.frames.Get(id);
    frames[id] = RE2::PartialMatch(Piece(profile.strings.Get(frame.name)), **expression) ||
                 RE2::PartialMatch(FrameLabel(profile.strings, frame), **expression);
  }
  Mask stacks(profile.stacks.Size());
  for (StackId id = 1; id < stacks.size(); ++id) {
    const StackTable::Node& node = profile.stacks.Get(id);
    stacks[id] = stacks[node.parent] || frames[node.frame];
  }
  return stacks;
}

Mask SamplesOfOperator(const Application& application, int64_t sql, int64_t node) {
  const OperatorJoin join(application);
  const std::vector<int32_t> rows = join.Join(application.profile.samples, join.OfProfile());
  Mask mask(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == OperatorJoin::kNone) continue;
    const SqlOperator& of = join.Operators()[static_cast<size_t>(rows[i])];
    mask[i] = of.one.node == node && application.sql_executions[static_cast<size_t>(of.sql)].id == sql;
  }
  return mask;
}

// Fails for options that require data which other tools' profiles lack.
Result<void> CheckForeign(const Profile& profile, const Selection& selection) {
  if (selection.job || !selection.tag.empty() || selection.sql || selection.executor || !selection.host.empty()) {
    return Fail(fmt::format("{}: --job, --job-tag, --sql, --executor and --on-host require a recording", profile.name));
  }
  // Row 0 is for samples without a task.
  if (ConcernsTasks(selection) && profile.tasks.size() <= 1) {
    return Fail(
        fmt::format("{}: --stage and --task: samples have no tasks; use a recording, or JFR with Spark's task spans",
                    profile.name));
  }
  const bool has_times =
      std::ranges::any_of(profile.samples, [](const Sample& sample) { return sample.time_ns != kNoTime; });
  if ((selection.from_ns || selection.to_ns) && !has_times) {
    return Fail(fmt::format("{}: --from and --to: samples have no timestamps", profile.name));
  }
  return {};
}

template <typename Ids>
std::string IdRange(const Ids& ids) {
  if (ids.empty()) return "none";
  const auto [first, last] = std::ranges::minmax_element(ids);
  return *first == *last ? fmt::format("only {}", *first) : fmt::format("{} to {}", *first, *last);
}

template <typename Rows, typename Id>
auto IdsOf(const Rows& rows, Id id) {
  std::vector<int64_t> ids;
  for (const auto& row : rows) ids.push_back(id(row));
  return ids;
}

std::string Missing(std::string_view what, int64_t id, const std::vector<int64_t>& present) {
  return fmt::format("{} {} not found; recorded: {}", what, id, IdRange(present));
}

bool ContainsId(const std::vector<int64_t>& ids, int64_t id) { return Contains(ids, id); }

Profile WithoutTables(const Profile& profile) {
  return {.name = profile.name,
          .events = profile.events,
          .default_event = profile.default_event,
          .start_ns = profile.start_ns,
          .damaged = profile.damaged,
          .first_damage = profile.first_damage,
          .notes = profile.notes};
}

}  // namespace

Result<std::vector<uint32_t>> SelectSamples(const Application& application, const Selection& selection) {
  const Profile& profile = application.profile;
  if (application.is_foreign) {
    if (Result<void> fits = CheckForeign(profile, selection); !fits) return tl::unexpected(fits.error());
  }
  // An operator may run on the driver, outside of tasks.
  const bool by_node = selection.sql && selection.node;
  const Mask of_operator = by_node ? SamplesOfOperator(application, *selection.sql, *selection.node) : Mask();
  Selection of_tasks = selection;
  if (by_node) of_tasks.sql.reset();
  const bool by_task = ConcernsTasks(of_tasks);
  const Mask tasks = by_task ? SelectedTasksOf(application, of_tasks) : Mask();
  const std::vector<int32_t> task_rows = by_task ? application.TaskRows() : std::vector<int32_t>();
  Mask threads;
  if (!selection.thread.empty()) {
    Result<Mask> mask = ThreadsOf(profile, selection.thread);
    if (!mask) return tl::unexpected(mask.error());
    threads = std::move(*mask);
  }
  Mask stacks;
  if (!selection.search.empty()) {
    Result<Mask> mask = StacksWith(profile, selection.search);
    if (!mask) return tl::unexpected(mask.error());
    stacks = std::move(*mask);
  }
  Mask executors;
  for (const Executor& executor : application.executors) {
    executors.push_back((!selection.executor || executor.id == *selection.executor) &&
                        (selection.host.empty() || executor.host == selection.host));
  }
  EventId event = kNoEvent;
  if (!selection.event.empty()) {
    const Result<EventId> found = profile.FindEvent(selection.event);
    if (!found) return std::vector<uint32_t>();
    event = *found;
  }
  const EventId wall = profile.Row(Event::kWall);
  const TimeRange range = RangeOf(application);
  // A sample without a width covers one nanosecond.
  const int64_t width_ns = std::max<int64_t>(profile.bucket_ns, 1);

  std::vector<uint32_t> rows;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const Sample& sample = profile.samples[row];
    if (event != kNoEvent && sample.event != event) continue;
    if (selection.without_idle && sample.event == wall && sample.category == Category::kIdlePool) continue;
    if (selection.state != ThreadState::kUnknown && sample.state != selection.state) continue;
    if (by_node && !of_operator[row]) continue;
    if (by_task) {
      const int32_t task = task_rows[sample.task];
      if (task < 0 || !tasks[static_cast<size_t>(task)]) continue;
    }
    if (selection.executor || !selection.host.empty()) {
      const int32_t executor = application.ExecutorOf(sample);
      if (executor < 0 || !executors[static_cast<size_t>(executor)]) continue;
    }
    if (!selection.thread.empty() && !threads[sample.thread]) continue;
    if (!selection.search.empty() && !stacks[sample.stack]) continue;
    if (selection.from_ns || selection.to_ns) {
      if (sample.time_ns == kNoTime) continue;
      const int64_t start_ns = SinceStart(range, sample);
      if (selection.from_ns && start_ns <= *selection.from_ns - width_ns) continue;
      if (selection.to_ns && start_ns >= *selection.to_ns) continue;
    }
    rows.push_back(static_cast<uint32_t>(row));
  }
  return rows;
}

void KeepSamples(const std::vector<uint32_t>& rows, Profile* profile) {
  size_t kept = 0;
  for (const uint32_t row : rows) profile->samples[kept++] = profile->samples[row];
  profile->samples.resize(kept);
}

Profile SumByStack(const Profile& profile, const std::vector<uint32_t>& rows) {
  Profile sums = WithoutTables(profile);
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<std::vector<uint32_t>> sum_of(profile.events.size());  // by event and stack
  for (const uint32_t row : rows) {
    const Sample& sample = profile.samples[row];
    std::vector<uint32_t>& of_event = sum_of[sample.event];
    if (of_event.empty()) of_event.assign(profile.stacks.Size(), kNone);
    uint32_t& sum = of_event[sample.stack];
    if (sum == kNone) {
      sum = static_cast<uint32_t>(sums.samples.size());
      sums.samples.push_back(
          {.stack = sample.stack, .event = sample.event, .weight = sample.weight, .count = sample.count});
    } else {
      AddSaturated(sample.weight, &sums.samples[sum].weight);
      AddSaturated(sample.count, &sums.samples[sum].count);
    }
  }
  return sums;
}

Profile PickSamples(const Profile& profile, const std::vector<uint32_t>& rows) {
  Profile picked = WithoutTables(profile);
  picked.threads = profile.threads;
  picked.tasks = profile.tasks;
  picked.in_order = profile.in_order;
  picked.bucket_ns = profile.bucket_ns;
  picked.samples.reserve(rows.size());
  for (const uint32_t row : rows) picked.samples.push_back(profile.samples[row]);
  return picked;
}

std::string ExplainNoSamples(const Application& application, const Selection& selection) {
  if (const Result<EventId> event = application.profile.FindEvent(selection.event); !event) {
    if (application.is_foreign) {
      // The caller adds the input's name.
      std::string_view message = event.error().message;
      const std::string name = application.profile.name + ": ";
      if (message.starts_with(name)) message.remove_prefix(name.size());
      return std::string(message);
    }
    std::vector<std::string_view> recorded;
    for (const ProfileEvent& known : application.profile.events) recorded.push_back(known.name);
    if (recorded.empty()) return "the recording has no samples";
    return fmt::format("the recording has no {} samples; recorded: {}; use `sparkprof run --event {}` to record them",
                       selection.event, fmt::join(recorded, ", "), ShellWord(selection.event));
  }
  if (selection.job) {
    const auto ids = IdsOf(application.jobs, [](const Job& job) { return job.id; });
    if (!ContainsId(ids, *selection.job)) return Missing("job", *selection.job, ids);
  }
  if (!selection.tag.empty()) {
    std::set<std::string> tags;
    for (const Job& job : application.jobs) tags.insert(job.tags.begin(), job.tags.end());
    if (!tags.contains(selection.tag)) {
      // Each operation of Spark Connect has a tag.
      constexpr size_t kMaxTags = 10;
      const auto shown = std::next(tags.begin(), static_cast<ptrdiff_t>(std::min(tags.size(), kMaxTags)));
      return fmt::format("no job has the tag {}; recorded: {}{}", selection.tag,
                         tags.empty() ? "none" : fmt::format("{}", fmt::join(tags.begin(), shown, ", ")),
                         tags.size() > kMaxTags ? fmt::format(" and {} others", tags.size() - kMaxTags) : "");
    }
  }
  if (selection.stage) {
    const auto ids = IdsOf(application.stages, [](const Stage& stage) { return stage.id; });
    if (!ContainsId(ids, *selection.stage)) return Missing("stage", *selection.stage, ids);
    if (selection.stage_attempt) {
      std::vector<int64_t> attempts;
      for (const Stage& stage : application.stages) {
        if (stage.id == *selection.stage) attempts.push_back(stage.attempt);
      }
      if (!ContainsId(attempts, *selection.stage_attempt)) {
        return Missing(fmt::format("stage {} attempt", *selection.stage), *selection.stage_attempt, attempts);
      }
    }
  }
  if (selection.sql) {
    const auto ids = IdsOf(application.sql_executions, [](const SqlExecution& execution) { return execution.id; });
    if (!ContainsId(ids, *selection.sql)) return Missing("SQL execution", *selection.sql, ids);
    if (selection.node) {
      const auto row = static_cast<size_t>(std::ranges::find(ids, *selection.sql) - ids.begin());
      const auto nodes = IdsOf(OperatorsOf(application.sql_executions[row].plan),
                               [](const PlanOperator& one) { return int64_t{one.node}; });
      if (!ContainsId(nodes, *selection.node)) return Missing("operator", *selection.node, nodes);
    }
  }
  for (const int64_t task : selection.tasks) {
    if (!ContainsId(application.tasks.id, task)) return Missing("task", task, application.tasks.id);
  }
  if (selection.executor) {
    std::vector<std::string> ids;
    for (const Executor& executor : application.executors) ids.push_back(executor.id);
    if (!Contains(ids, *selection.executor)) {
      return fmt::format("executor {} not found; recorded: {}", *selection.executor,
                         ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", ")));
    }
  }
  if (!selection.host.empty()) {
    std::set<std::string> hosts;
    for (const Executor& executor : application.executors) hosts.insert(executor.host);
    if (!hosts.contains(selection.host))
      return fmt::format("host {} not found; recorded: {}", selection.host, fmt::join(hosts, ", "));
  }
  return application.is_foreign ? "no samples match the options" : "no samples match the selection";
}

Result<void> ParseStage(std::string_view text, Selection* selection) {
  const size_t dot = text.find('.');
  const std::optional<int64_t> stage = ParseInteger(text.substr(0, dot));
  const std::optional<int64_t> attempt =
      dot == std::string_view::npos ? std::nullopt : ParseInteger(text.substr(dot + 1));
  if (!stage || *stage < 0 || (dot != std::string_view::npos && (!attempt || *attempt < 0))) {
    return Fail(fmt::format("invalid stage '{}'; use an ID such as 3, or an attempt such as 3.0", text));
  }
  selection->stage = stage;
  selection->stage_attempt = attempt;
  return {};
}

}  // namespace sparkprof
