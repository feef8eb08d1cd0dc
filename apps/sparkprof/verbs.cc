// SPDX-License-Identifier: Apache-2.0
#include "verbs.h"

#include <string>

namespace sparkprof {
namespace {

constexpr std::string_view kProfile = "Profile";
constexpr std::string_view kInspect = "Inspect";
constexpr std::string_view kMany = "Many applications";
constexpr std::string_view kTools = "Tools";

constexpr Verb kVerbs[] = {
    {"run", kProfile, "Run a Spark job under the profiler and write its report", DefineRun},
    {"attach", kProfile, "List the Spark processes of this host, or profile a running JVM or Python process",
     DefineAttach},
    {"prove", kProfile, "Run a job before and after a change until the difference is proved, and compare results",
     DefineProve},
    {"monitor", kProfile, "Record the processes of this host, by Spark application and executor", DefineMonitor},

    {"top", kInspect, "Show what a running application, host or collector does now", DefineTop},
    {"analyze", kInspect, "Write a report from the logs that a job left behind", DefineAnalyze},
    {"findings", kInspect, "Print why a job was slow or failed, and what to change", DefineFindings},
    {"show", kInspect, "Print a table: jobs, stages, tasks, operators, processes, metrics, …", DefineShow},
    {"flame", kInspect, "Write a flame graph or heat map of a recording or of a profile of any format", DefineFlame},
    {"report", kInspect, "Write the report of a recording, a single HTML file", DefineReport},
    {"open", kInspect, "Show the last report in a browser", DefineOpen, /*is_in_note=*/true},
    {"info", kInspect, "Print the contents and completeness of a recording", DefineInfo},
    {"logs", kInspect, "Print errors, templates, repeated chunks or records of text logs", DefineLogs},
    {"compare", kInspect, "Compare two runs of a job, or a run with its prediction on other machines", DefineCompare},
    {"whatif", kInspect, "Predict a run under other conditions; the same as compare", DefineCompare,
     /*is_in_note=*/true},
    {"diff", kInspect, "Compare two profiles, frame by frame", DefineDiff},
    {"tune", kInspect, "Print settings for a job's next run: sizes, executors, SQL", DefineTune},

    {"serve", kMany, "Collect recordings from many jobs and show them in a browser", DefineServe},
    {"push", kMany, "Send recordings and logs to a collector", DefinePush},
    {"collector", kMany, "Check, repair, shrink, export or configure a collector", DefineCollector},
    {"suite", kMany, "Run a suite of jobs, compare its results, and check them against a baseline", DefineSuite},
    {"fleet", kMany, "Find what many applications cost and waste, from folders of event logs", DefineFleet},

    {"convert", kTools, "Convert a profile to another format, or list the formats", DefineConvert},
    {"mcp", kTools, "Answer an agent's questions about applications: Model Context Protocol on stdio", DefineMcp},
    {"doctor", kTools, "Check whether this machine is ready to profile", DefineDoctor},
    {"completion", "", "Print the completion script of a shell", DefineCompletion},
    {"manual", "", "Write the manual pages", DefineManual},
};

}  // namespace

std::span<const Verb> Verbs() { return kVerbs; }

CLI::App* AddVerb(const Verb& verb, CLI::App* app, std::function<int()>* chosen) {
  CLI::App* const command = app->add_subcommand(std::string(verb.name), std::string(verb.purpose));
  command->callback([chosen, run = verb.define(*command)] { *chosen = run; });
  return command;
}

}  // namespace sparkprof
