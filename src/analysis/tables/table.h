// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparkprof {

struct Application;

// A cell of a table; monostate = unknown. Texts live as long as the table's data.
using Cell = std::variant<std::monostate, std::string_view, int64_t, double, bool>;

// The meaning of a column's values. JSON, CSV and Parquet have them as they are; text has them with units.
enum class ColumnType : uint8_t {
  kText,      // an ID, a state, a name
  kLongText,  // a description, a plan, an error: the first to be shortened
  kJson,      // a text that is JSON already
  kInteger,
  kReal,
  kBoolean,
  kTime,  // ms since the epoch
  kMillis,
  kNanos,
  kSeconds,
  kBytes,
  kPercent,  // 0 to 100
  kShare,    // 0 to 1
  kByUnit,   // in the unit that the column "unit" of the same row has: "bytes", "ns", "ms", "share" or none
};

// Where the column is shown besides JSON, CSV and Parquet: in text, unless the user names columns; on the report's
// page.
enum class Visibility : uint8_t { kHidden, kShown, kOnPage, kEverywhere };

// The member of a selection by which the column selects rows.
enum class ColumnRole : uint8_t {
  kNone,
  kJob,
  kTag,    // a JSON array
  kStage,  // an ID, or a JSON array of IDs
  kStageAttempt,
  kTask,
  kSql,
  kNode,
  kExecutor,
  kBegin,  // with kEnd: the row's time, in ms since the epoch
  kEnd,
};

struct TableColumn {
  std::string name;   // as in JSON: "executorRunTime"; "a.b" is the member b of the object a
  std::string about;  // a phrase for docs/tables.md: "tasks as planned"
  ColumnType type = ColumnType::kText;
  Visibility visibility = Visibility::kHidden;
  std::function<Cell(size_t row)> cell;
  ColumnRole role = ColumnRole::kNone;

  bool IsText() const { return type == ColumnType::kText || type == ColumnType::kLongText; }
  bool IsInText() const { return visibility == Visibility::kShown || visibility == Visibility::kEverywhere; }
  bool IsOnPage() const { return visibility == Visibility::kOnPage || visibility == Visibility::kEverywhere; }
};

// The answer about an application in one line, see analysis/answers.h.
using VerdictOfApplication = std::function<std::string(const Application& application)>;

// A table computed on access, so a million rows need no memory. Views the data that it was made from.
struct Table {
  std::string name;  // "tasks"
  size_t rows = 0;
  std::vector<TableColumn> columns;
  std::string note = {};  // lines below the table in text output
};

}  // namespace sparkprof
