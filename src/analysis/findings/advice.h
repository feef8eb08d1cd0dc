// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

struct RemedyStep;

// Advice depends on where the application ran, on its engine, and on the data of the input.

// "increase spark.executor.memory or use fewer cores per executor"; in local mode, where the driver's heap is the only
// one and the master sets the cores: "increase spark.driver.memory or use fewer cores (local[N])".
std::string MoreMemoryAdvice(const Application& application);

inline constexpr const char* kLessGpuMemoryAdvice =
    "Run fewer tasks on a GPU at once (spark.rapids.sql.concurrentGpuTasks), or give them less data "
    "(spark.rapids.sql.batchSizeBytes, spark.sql.files.maxPartitionBytes, more shuffle partitions)";

// For a driver that fetches many rows by this call, "toLocalIterator at job.py:14"; empty = unknown.
std::string_view FewerRowsAdvice(std::string_view call);

// Whether Databricks ran it, which derives the memory of executors from the type of their nodes.
bool IsOnDatabricks(const Application& application);

// Whether the input has samples, of which flame graphs are made.
bool HasSamples(const Application& application);

// Whether the stage's operators run on a GPU or in a native engine, whose CPU time Spark's task metrics do not have.
bool RunsOnOtherEngine(const Application& application, const Stage& stage);

// Whether a person types the program at a prompt or in a notebook, or clients send queries to it: a shell, a Thrift
// server, a Spark Connect server.
bool IsInteractive(const Application& application);

// Whether the application's Spark is of this version or later, or its version is unknown.
bool IsSparkAtLeast(const Application& application, int major, int minor);

// Whether adaptive execution changes plans: by its setting, or by the default of the Spark version.
bool UsesAdaptiveExecution(const Application& application);

// The values of the settings that this advice names: "Now: spark.sql.shuffle.partitions=8 in the program's code". A
// value in the code overrides those at the start. Empty if none is set.
std::string SettingsInForce(const Application& application, std::string_view advice);

// The settings with a new value in this advice: "Set spark.sql.shuffle.partitions=19", "enable
// spark.sql.adaptive.enabled".
std::vector<AdvisedSetting> AdvisedSettings(const Application& application, std::string_view advice);

// The same for the steps of a failure's remedy that are settings.
std::vector<AdvisedSetting> AdvisedSettings(const Application& application, const std::vector<RemedyStep>& remedy);

// Whether the program is written in Python.
bool IsPythonProgram(const Application& application);

// A message of up to one and a half times `most` bytes, or else the whole sentences or clauses at its start; "…" marks
// a cut only where there are none.
std::string ShortenToClause(std::string_view text, size_t most);

// "1 core", "2,000 tasks".
std::string Counted(int64_t count, std::string_view noun);

// "1,272,097".
std::string CountText(int64_t count);

}  // namespace sparkprof
