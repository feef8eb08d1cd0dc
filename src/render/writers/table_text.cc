// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text/characters.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/writers/display_width.h"
#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

constexpr size_t kGap = 2;
constexpr std::string_view kUnknown = "-";

int64_t RoundToInteger(double value) {
  constexpr double kMax = 9e18;
  return std::llround(std::clamp(value, -kMax, kMax));
}

std::string DurationText(double nanos) { return nanos == 0 ? "0" : FormatDuration(RoundToInteger(nanos)); }
std::string BytesText(double bytes) { return bytes == 0 ? "0" : FormatBytes(RoundToInteger(bytes)); }

std::string PlainText(double value) {
  constexpr double kMaxExact = 1e15;
  const bool is_whole = value == std::floor(value) && std::abs(value) < kMaxExact;
  return is_whole ? std::to_string(RoundToInteger(value)) : fmt::format("{:.4g}", value);
}

std::string NumberText(double value, ColumnType type, std::string_view unit) {
  if (std::isnan(value)) return std::string(kUnknown);
  switch (type) {
    case ColumnType::kTime:
      return FormatTimestamp(RoundToInteger(value * static_cast<double>(kNanosPerMilli)));
    case ColumnType::kMillis:
      return DurationText(value * static_cast<double>(kNanosPerMilli));
    case ColumnType::kNanos:
      return DurationText(value);
    case ColumnType::kSeconds:
      return DurationText(value * static_cast<double>(kNanosPerSecond));
    case ColumnType::kBytes:
      return BytesText(value);
    case ColumnType::kPercent:
      return FormatShare(value / 100);
    case ColumnType::kShare:
      return FormatShare(value);
    case ColumnType::kByUnit:
      if (unit == "bytes") return BytesText(value);
      if (unit == "ns") return DurationText(value);
      if (unit == "ms") return DurationText(value * static_cast<double>(kNanosPerMilli));
      if (unit == "share") return FormatShare(value);
      return unit == "percent" ? FormatShare(value / 100) : PlainText(value);
    default:
      return PlainText(value);
  }
}

bool IsNumber(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
    case ColumnType::kLongText:
    case ColumnType::kJson:
    case ColumnType::kBoolean:
    case ColumnType::kTime:
      return false;
    default:
      return true;
  }
}

// The position that splits a name into short parts: "executor|RunTime".
size_t SplitOf(std::string_view name) {
  size_t best = name.size();
  for (size_t at = 1; at < name.size(); ++at) {
    const bool begins_word = (IsUpper(name[at]) && !IsUpper(name[at - 1])) || name[at - 1] == '.';
    if (begins_word && std::max(at, name.size() - at) < std::max(best, name.size() - best)) best = at;
  }
  return best;
}

// Start of the file and line at the end of a text: "demo_job.py:60" in "count at /home/ana/demo_job.py:60". The text's
// size if it has none.
size_t PlaceIn(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool has_line = colon != std::string_view::npos && colon + 1 < text.size() &&
                        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1, text.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
  if (!has_line) return text.size();
  const size_t before = text.find_last_of(" /", colon);
  return before == std::string_view::npos ? 0 : before + 1;
}

// Keeps the file and line, and shortens the preceding words.
std::string ShortenBeforePlace(std::string_view text, size_t width) {
  const std::string_view place = text.substr(PlaceIn(text));
  const size_t place_width = DisplayWidth(place);
  if (place.empty() || DisplayWidth(text) <= width || place_width >= width) return ShortenToWidth(text, width);
  return ShortenToWidth(text.substr(0, text.size() - place.size()), width - place_width) + std::string(place);
}

struct TextColumn {
  const TableColumn* column = nullptr;
  size_t split = 0;      // split position of the name in a two-line header
  size_t cells = 0;      // width of the widest cell
  size_t place = 0;      // width of the widest file and line at the end of a long text
  bool is_zero = false;  // every cell is 0 or unknown
  size_t width = 0;

  size_t Header(bool two_lines) const {
    const size_t size = column->name.size();
    return two_lines ? std::max(split, size - split) : size;
  }
  // Whether the name is split over two header lines.
  bool IsDivided() const { return width < column->name.size(); }
};

// The minimum width of a text that may be shortened.
size_t LeastWidth(const TextColumn& column) {
  constexpr size_t kLeastLongText = 16, kLeastText = 12, kLeastJson = 8, kMaxPlace = 40;
  const ColumnType type = column.column->type;
  // Room for an ellipsis before the place.
  if (type == ColumnType::kLongText)
    return std::min(column.cells, std::max(kLeastLongText, std::min(column.place, kMaxPlace) + 1));
  if (type == ColumnType::kText) return std::min(column.cells, kLeastText);
  return type == ColumnType::kJson ? std::min(column.cells, kLeastJson) : column.cells;
}

class TextTable {
 public:
  TextTable(const Table& table, const TableTextStyle& style) : table_(table), style_(style) {
    for (const TableColumn& column : table.columns) {
      if (column.name == "unit") unit_ = &column;
    }
    for (const TableColumn& column : table.columns) {
      if (column.IsInText()) Measure(column);
    }
    if (!style.keep_columns) {
      std::stable_partition(columns_.begin(), columns_.end(),
                            [](const TextColumn& column) { return column.column->type != ColumnType::kLongText; });
    }
    if (style.width) Fit(*style.width);
  }

  std::string Header() const {
    std::string header, line;
    if (two_lines_) {
      for (const TextColumn& column : columns_) {
        const std::string_view name = column.column->name;
        AppendTo(&line, column, column.IsDivided() ? name.substr(0, column.split) : std::string_view());
      }
      header = Bold(line.substr(0, line.find_last_not_of(' ') + 1));
      line.clear();
    }
    for (const TextColumn& column : columns_) {
      const std::string_view name = column.column->name;
      AppendTo(&line, column, two_lines_ && column.IsDivided() ? name.substr(column.split) : name);
    }
    return header + Bold(line);
  }

  std::string Row(size_t row) const {
    std::string line;
    for (const TextColumn& column : columns_) AppendTo(&line, column, TextOf(*column.column, row));
    return line + "\n";
  }

  std::string Footer() const {
    std::string text;
    if (!dropped_.empty()) {
      std::vector<std::string_view> names;  // in the order of the table
      for (const TableColumn& column : table_.columns) {
        if (std::find(dropped_.begin(), dropped_.end(), &column) != dropped_.end()) names.push_back(column.name);
      }
      text =
          fmt::format("Without {}: select columns with --columns, or use --json or --csv.\n", fmt::join(names, ", "));
    }
    text = ForTerminal(table_.note) + text;
    if (!style_.width || text.empty()) return text;
    text.pop_back();  // removes the line end, which each line gets again
    std::string wrapped;
    for (const std::string_view line : Split(text, '\n')) wrapped += WrapText(line, *style_.width, 0, 0);
    return wrapped;
  }

 private:
  std::string TextOf(const TableColumn& column, size_t row) const {
    if (column.type != ColumnType::kByUnit || unit_ == nullptr) return CellText(column.cell(row), column.type);
    const Cell unit = unit_->cell(row);
    const auto* const text = std::get_if<std::string_view>(&unit);
    return CellText(column.cell(row), column.type, text == nullptr ? std::string_view() : *text);
  }

  std::string Bold(const std::string& line) const {
    return style_.color ? "\x1b[1m" + line + "\x1b[0m\n" : line + "\n";
  }

  void Measure(const TableColumn& column) {
    constexpr size_t kMaxLongText = 60;  // limit for lines of any length
    constexpr size_t kMaxText = 400;
    TextColumn measured{.column = &column, .split = SplitOf(column.name), .is_zero = true};
    bool has_value = false;
    for (size_t row = 0; row < table_.rows; ++row) {
      const std::string text = TextOf(column, row);
      has_value = has_value || text != kUnknown;
      measured.is_zero = measured.is_zero && (text == kUnknown || text == "0");
      measured.cells = std::max(measured.cells, DisplayWidth(text));
      if (column.type == ColumnType::kLongText)
        measured.place = std::max(measured.place, DisplayWidth(std::string_view(text).substr(PlaceIn(text))));
    }
    if (!has_value && table_.rows > 0 && !style_.keep_columns) return;
    const bool is_long = column.type == ColumnType::kLongText || column.type == ColumnType::kJson;
    measured.cells = std::min(measured.cells, is_long && !style_.width ? kMaxLongText : kMaxText);
    measured.width = std::max(measured.cells, measured.Header(false));
    columns_.push_back(measured);
  }

  // Shortens the widest texts. Returns whether the columns fit then.
  bool Shrink(size_t width, bool two_lines) {
    two_lines_ = two_lines;
    size_t total = columns_.empty() ? 0 : kGap * (columns_.size() - 1);
    for (TextColumn& column : columns_) {
      column.width = std::max(column.cells, column.Header(two_lines));
      total += column.width;
    }
    for (; total > width; --total) {
      TextColumn* widest = nullptr;
      for (TextColumn& column : columns_) {
        const size_t least = std::max(column.Header(two_lines), LeastWidth(column));
        if (column.width > least && (widest == nullptr || column.width > widest->width)) widest = &column;
      }
      if (widest == nullptr) return false;
      --widest->width;
    }
    return true;
  }

  // The column to drop: the last one with only 0 and unknown values, else the last one that is not a long text, else
  // the last one. Never the first, which names the row.
  size_t LeastColumn() const {
    size_t last_number = 0;
    for (size_t i = columns_.size() - 1; i > 0; --i) {
      if (columns_[i].is_zero) return i;
      if (last_number == 0 && columns_[i].column->type != ColumnType::kLongText) last_number = i;
    }
    return last_number > 0 ? last_number : columns_.size() - 1;
  }

  void Fit(size_t width) {
    while (!Shrink(width, /*two_lines=*/false) && !Shrink(width, /*two_lines=*/true) && !style_.keep_columns &&
           columns_.size() > 1) {
      const size_t least = LeastColumn();
      dropped_.push_back(columns_[least].column);
      columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(least));
    }
  }

  void AppendTo(std::string* line, const TextColumn& column, std::string_view text) const {
    const bool is_first = &column == &columns_.front(), is_last = &column == &columns_.back();
    if (!is_first) line->append(kGap, ' ');
    const std::string shown = ShortenBeforePlace(text, column.width);
    const size_t padding = column.width - std::min(column.width, DisplayWidth(shown));
    const bool right = IsNumber(column.column->type);
    if (right) line->append(padding, ' ');
    const std::string_view color = style_.color ? ColorOf(shown) : std::string_view();
    line->append(color).append(shown);
    if (!color.empty()) line->append("\x1b[0m");
    if (!right && !is_last) line->append(padding, ' ');
  }

  // Unknown cells are dim, failures red.
  static std::string_view ColorOf(std::string_view text) {
    if (text == kUnknown) return "\x1b[2m";
    return text == "FAILED" || text == "KILLED" ? "\x1b[31m" : std::string_view();
  }

  const Table& table_;
  const TableTextStyle& style_;
  const TableColumn* unit_ = nullptr;
  std::vector<TextColumn> columns_;
  bool two_lines_ = false;  // whether the header has two lines
  std::vector<const TableColumn*> dropped_;
};

}  // namespace

std::string CellText(const Cell& cell, ColumnType type, std::string_view unit) {
  if (const auto* const text = std::get_if<std::string_view>(&cell)) {
    return ToOneLine(ForTerminal(text->substr(0, text->find('\n'))));
  }
  if (const auto* const integer = std::get_if<int64_t>(&cell)) {
    // A large integer would lose digits as a double.
    if (type == ColumnType::kInteger) return std::to_string(*integer);
    return NumberText(static_cast<double>(*integer), type, unit);
  }
  if (const auto* const real = std::get_if<double>(&cell)) return NumberText(*real, type, unit);
  if (const auto* const truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  return std::string(kUnknown);
}

void WriteText(const Table& table, const TableTextStyle& style, const TextSink& sink) {
  constexpr size_t kPieceBytes = size_t{64} << 10;
  const TextTable text(table, style);
  std::string piece = text.Header();
  for (size_t row = 0; row < table.rows; ++row) {
    piece += text.Row(row);
    if (piece.size() < kPieceBytes) continue;
    sink(piece);
    piece.clear();
  }
  sink(piece + text.Footer());
}

}  // namespace sparkprof
