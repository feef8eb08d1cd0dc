// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {

// Libraries on top of Spark, which run queries of their own; libraries/README.md has the format of their tables.

// The work of a library in a stage.
struct LibraryCall {
  std::string_view library;     // "Delta Lake"
  std::string operation;        // "the state of a table, computed after each commit", "ALS.fit"
  std::string_view partitions;  // the setting that decides their number; empty = none is known
};

// The library that has a frame in a call stack, if there is one. Frames are lines, the innermost first:
// "io.delta.tables.DeltaMergeBuilder.execute(DeltaMergeBuilder.scala:253)".
std::optional<LibraryCall> LibraryCallIn(std::string_view call_stack);

// Advice that shortens an operation of a library; empty if unknown.
std::string_view ChangeOfOperation(std::string_view library, std::string_view operation);

bool IsCacheOfLibrary(std::string_view rdd_name);

bool IsOfLibrary(std::string_view class_name);

// The files of libraries/, one after the other.
extern const std::string_view kLibraryTables;

}  // namespace sparkprof
