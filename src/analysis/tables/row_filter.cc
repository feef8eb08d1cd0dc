// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/row_filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/text/contains.h"

namespace sparkprof {
namespace {

std::optional<double> NumberInText(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> NumberOfCell(const Cell& cell) {
  if (const int64_t* const integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  if (const double* const real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::string TextOfCell(const Cell& cell) {
  if (const std::string_view* const text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const int64_t* const integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const double* const real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const bool* const truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  return {};
}

struct FilterWord {
  std::string text;
  size_t place = 0;
  bool quoted = false;
  bool symbol = false;  // an operator or a bracket
};

}  // namespace

struct RowFilter::Node {
  enum class Operator : uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kFinds };
  enum class Kind : uint8_t { kCompare, kAnd, kOr, kNot } kind = Kind::kCompare;
  std::shared_ptr<const Node> left, right;  // operands of "and" and "or"; "not" has only the left one
  std::string field;
  Operator op = Operator::kEqual;
  std::string value;
  std::optional<double> number;
  bool is_null = false;
  std::shared_ptr<const RE2> pattern;
};

namespace {

using FilterNode = RowFilter::Node;
using NodeResult = Result<std::shared_ptr<const FilterNode>>;

class FilterParser {
 public:
  explicit FilterParser(std::string_view text) : text_(text) {}

  NodeResult Parse() {
    if (Result<void> split = SplitWords(); !split) return tl::unexpected(split.error());
    NodeResult root = ParseOr(0);
    if (root && next_ < words_.size()) return Expected("'and', 'or' or the end");
    return root;
  }

 private:
  tl::unexpected<Error> Expected(std::string_view what) const {
    const std::string found = next_ < words_.size() ? fmt::format("'{}'", words_[next_].text) : "the end";
    const size_t place = next_ < words_.size() ? words_[next_].place : text_.size();
    return Fail(fmt::format("--where: {} at position {}, expected {}", found, place + 1, what));
  }

  Result<void> SplitWords() {
    constexpr std::string_view kBlanks = " \t\n", kSymbols = "=!<>~()";
    for (size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (Contains(kBlanks, c)) {
        ++at;
      } else if (c == '\'' || c == '"') {
        FilterWord word{.text = {}, .place = at, .quoted = true, .symbol = false};
        for (++at; at < text_.size() && text_[at] != c; ++at) {
          if (text_[at] == '\\' && at + 1 < text_.size() && (text_[at + 1] == c || text_[at + 1] == '\\')) ++at;
          word.text += text_[at];
        }
        if (at == text_.size())
          return Fail(fmt::format("--where: missing closing quote of the text at position {}", word.place + 1));
        ++at;
        words_.push_back(std::move(word));
      } else if (Contains(kSymbols, c)) {
        const std::string_view two = text_.substr(at, 2);
        const bool is_two = two == "<=" || two == ">=" || two == "!=" || two == "==";
        words_.push_back({std::string(is_two ? two : text_.substr(at, 1)), at, false, true});
        at += is_two ? 2 : 1;
      } else {
        const size_t end = std::min(text_.find_first_of(" \t\n=!<>~()", at), text_.size());
        words_.push_back({std::string(text_.substr(at, end - at)), at, false, false});
        at = end;
      }
    }
    return {};
  }

  bool Take(std::string_view word, bool symbol) {
    if (next_ >= words_.size() || words_[next_].quoted || words_[next_].symbol != symbol) return false;
    if (words_[next_].text != word) return false;
    ++next_;
    return true;
  }

  NodeResult ParseOr(int depth) { return ParseChain(FilterNode::Kind::kOr, "or", "||", depth); }

  NodeResult ParseChain(FilterNode::Kind kind, std::string_view name, std::string_view other_name, int depth) {
    const auto parse = [&] {
      return kind == FilterNode::Kind::kOr ? ParseChain(FilterNode::Kind::kAnd, "and", "&&", depth) : ParseOne(depth);
    };
    NodeResult left = parse();
    while (left && (Take(name, false) || Take(other_name, false))) {
      NodeResult right = parse();
      if (!right) return right;
      auto both = std::make_shared<FilterNode>();
      both->kind = kind;
      both->left = *left;
      both->right = *right;
      left = std::move(both);
    }
    return left;
  }

  NodeResult ParseOne(int depth) {
    constexpr int kMaxDepth = 100;
    if (depth > kMaxDepth) return Expected(fmt::format("at most {} nested parentheses", kMaxDepth));
    if (Take("not", false)) {
      NodeResult inner = ParseOne(depth + 1);
      if (!inner) return inner;
      auto negated = std::make_shared<FilterNode>();
      negated->kind = FilterNode::Kind::kNot;
      negated->left = *inner;
      return negated;
    }
    if (Take("(", true)) {
      NodeResult inner = ParseOr(depth + 1);
      if (inner && !Take(")", true)) return Expected("')'");
      return inner;
    }
    return ParseComparison();
  }

  NodeResult ParseComparison() {
    auto node = std::make_shared<FilterNode>();
    if (next_ >= words_.size() || words_[next_].symbol) return Expected("a column's name");
    node->field = words_[next_++].text;
    constexpr std::pair<std::string_view, FilterNode::Operator> kOperators[] = {
        {"=", FilterNode::Operator::kEqual},           {"==", FilterNode::Operator::kEqual},
        {"!=", FilterNode::Operator::kNotEqual},       {"<", FilterNode::Operator::kLess},
        {"<=", FilterNode::Operator::kLessOrEqual},    {">", FilterNode::Operator::kGreater},
        {">=", FilterNode::Operator::kGreaterOrEqual}, {"~", FilterNode::Operator::kFinds}};
    bool has_operator = false;
    for (const auto& [text, op] : kOperators) {
      if (has_operator || !Take(text, true)) continue;
      node->op = op;
      has_operator = true;
    }
    if (!has_operator) return Expected("one of = != < <= > >= ~");
    if (next_ >= words_.size() || words_[next_].symbol) return Expected("a value");
    const FilterWord& value = words_[next_++];
    node->value = value.text;
    if (!value.quoted) {
      node->number = NumberInText(value.text);
      node->is_null = value.text == "null";
    }
    if (node->op == FilterNode::Operator::kFinds) {
      node->pattern = std::make_shared<const RE2>(node->value, RE2::Quiet);
      if (!node->pattern->ok()) {
        return Fail(fmt::format("--where: invalid regular expression '{}': {}", node->value, node->pattern->error()));
      }
    }
    return node;
  }

  const std::string_view text_;
  std::vector<FilterWord> words_;
  size_t next_ = 0;
};

template <typename T>
bool Holds(FilterNode::Operator op, const T& a, const T& b) {
  switch (op) {
    case FilterNode::Operator::kEqual:
      return a == b;
    case FilterNode::Operator::kNotEqual:
      return a != b;
    case FilterNode::Operator::kLess:
      return a < b;
    case FilterNode::Operator::kLessOrEqual:
      return a <= b;
    case FilterNode::Operator::kGreater:
      return a > b;
    case FilterNode::Operator::kGreaterOrEqual:
      return a >= b;
    case FilterNode::Operator::kFinds:
      break;
  }
  return false;
}

bool Compare(const FilterNode& node, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) {
    return node.is_null ? node.op == FilterNode::Operator::kEqual : node.op == FilterNode::Operator::kNotEqual;
  }
  if (node.is_null) return node.op == FilterNode::Operator::kNotEqual;
  if (node.pattern != nullptr) return RE2::PartialMatch(TextOfCell(cell), *node.pattern);
  const std::optional<double> number = NumberOfCell(cell);
  if (number && node.number) return Holds(node.op, *number, *node.number);
  return Holds(node.op, TextOfCell(cell), node.value);
}

bool Matches(const FilterNode& node, const Table& table, size_t row) {
  switch (node.kind) {
    case FilterNode::Kind::kAnd:
      return Matches(*node.left, table, row) && Matches(*node.right, table, row);
    case FilterNode::Kind::kOr:
      return Matches(*node.left, table, row) || Matches(*node.right, table, row);
    case FilterNode::Kind::kNot:
      return !Matches(*node.left, table, row);
    case FilterNode::Kind::kCompare:
      break;
  }
  for (const TableColumn& column : table.columns) {
    if (column.name == node.field) return Compare(node, column.cell(row));
  }
  return Compare(node, Cell());
}

Result<void> CheckFields(const FilterNode& node, const Table& table) {
  if (node.kind == FilterNode::Kind::kCompare) {
    const Result<size_t> column = FindColumn(table, node.field);
    if (!column) return tl::unexpected(column.error());
    return {};
  }
  for (const auto& side : {node.left, node.right}) {
    if (side == nullptr) continue;
    if (Result<void> checked = CheckFields(*side, table); !checked) return checked;
  }
  return {};
}

}  // namespace

Result<RowFilter> RowFilter::Parse(std::string_view expression) {
  NodeResult root = FilterParser(expression).Parse();
  if (!root) return tl::unexpected(root.error());
  return RowFilter(*root);
}

Result<void> RowFilter::CheckFields(const Table& table) const { return sparkprof::CheckFields(*root_, table); }

bool RowFilter::Matches(const Table& table, size_t row) const { return sparkprof::Matches(*root_, table, row); }

Result<size_t> FindColumn(const Table& table, std::string_view name) {
  std::string names;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].name == name) return column;
    names += (names.empty() ? "" : ", ") + table.columns[column].name;
  }
  return Fail(fmt::format("unknown column '{1}' of {0}; use one of {2}", table.name, name, names));
}

bool CellBefore(const Cell& a, const Cell& b) {
  const bool a_null = std::holds_alternative<std::monostate>(a), b_null = std::holds_alternative<std::monostate>(b);
  if (a_null || b_null) return !a_null && b_null;
  const std::optional<double> a_number = NumberOfCell(a), b_number = NumberOfCell(b);
  if (a_number && b_number) return *a_number < *b_number;
  if (a_number || b_number) return a_number.has_value();
  return TextOfCell(a) < TextOfCell(b);
}

}  // namespace sparkprof
