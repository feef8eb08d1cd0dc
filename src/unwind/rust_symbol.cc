// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "unwind/function_symbols.h"

namespace sparkprof {
namespace {

// Back references can nest, and repeat the referenced text.
constexpr int kDeepest = 100;
constexpr size_t kLongest = 10'000;
constexpr int kMaxSteps = 20'000;

constexpr std::string_view BasicType(char tag) {
  constexpr std::array<std::string_view, 26> kTypes = {
      "i8",   "bool", "char", "f64", "str", "f32", "",    "u8", "isize", "usize", "",    "i32", "u32",
      "i128", "u128", "_",    "",    "",    "i16", "u16", "()", "...",   "",      "i64", "u64", "!"};
  return tag >= 'a' && tag <= 'z' ? kTypes[static_cast<size_t>(tag - 'a')] : std::string_view();
}

class Demangler {
 public:
  explicit Demangler(std::string_view text) : text_(text) {}  // text after "_R"

  std::optional<std::string> Demangle() {
    Path(/*in_value=*/true);
    // The instantiating crate and the vendor suffix are not shown.
    const char next = Peek();
    if (next >= 'A' && next <= 'Z') {
      const size_t size = out_.size();
      Path(/*in_value=*/false);
      if (!failed_) out_.resize(size);
    }
    if (failed_ || (at_ < text_.size() && Peek() != '.' && Peek() != '$')) return std::nullopt;
    return std::move(out_);
  }

 private:
  // Counts the depth in the grammar until it is destroyed.
  class Level {
   public:
    explicit Level(Demangler* demangler) : demangler_(demangler) {
      if (++demangler_->depth_ > kDeepest || ++demangler_->steps_ > kMaxSteps) demangler_->Fail();
    }
    ~Level() { --demangler_->depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Demangler* demangler_;
  };

  struct Identifier {
    uint64_t disambiguator = 0;
    std::string_view name;
    bool is_punycode = false;
  };

  void Fail() { failed_ = true; }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char Next() {
    if (at_ == text_.size()) Fail();
    return failed_ ? '\0' : text_[at_++];
  }
  bool Accept(char tag) {
    if (failed_ || Peek() != tag) return false;
    ++at_;
    return true;
  }
  void Add(std::string_view text) {
    if (out_.size() + text.size() > kLongest) Fail();
    if (!failed_) out_ += text;
  }

  uint64_t Decimal() {
    if (Accept('0')) return 0;
    uint64_t value = 0;
    size_t digits = 0;
    for (; Peek() >= '0' && Peek() <= '9'; ++digits, ++at_) {
      value = value * 10 + static_cast<uint64_t>(Peek() - '0');
      if (value > text_.size()) return Fail(), 0;
    }
    if (digits == 0) Fail();
    return value;
  }

  // Encoding: "_" is 0, "0_" is 1.
  uint64_t Base62() {
    uint64_t value = 0;
    bool is_zero = true;
    while (!failed_ && !Accept('_')) {
      const char digit = Next();
      uint64_t number = 0;
      if (digit >= '0' && digit <= '9') {
        number = static_cast<uint64_t>(digit - '0');
      } else if (digit >= 'a' && digit <= 'z') {
        number = static_cast<uint64_t>(digit - 'a') + 10;
      } else if (digit >= 'A' && digit <= 'Z') {
        number = static_cast<uint64_t>(digit - 'A') + 36;
      } else {
        Fail();
      }
      if (value > UINT64_MAX / 62 - 1) Fail();
      value = value * 62 + number;
      is_zero = false;
    }
    return is_zero ? 0 : value + 1;
  }

  uint64_t Disambiguator() { return Accept('s') ? Base62() + 1 : 0; }

  Identifier PlainIdentifier() {
    Identifier identifier;
    identifier.is_punycode = Accept('u');
    const uint64_t size = Decimal();
    Accept('_');
    if (size > text_.size() - at_) return Fail(), Identifier();
    identifier.name = text_.substr(at_, size);
    at_ += size;
    return identifier;
  }

  Identifier NextIdentifier() {
    const uint64_t disambiguator = Disambiguator();
    Identifier identifier = PlainIdentifier();
    identifier.disambiguator = disambiguator;
    return identifier;
  }

  void Add(const Identifier& identifier) {
    if (identifier.is_punycode) Add("punycode{");
    Add(identifier.name);
    if (identifier.is_punycode) Add("}");
  }

  // Calls `read` at an earlier position of the symbol.
  template <typename Read>
  void BackReference(Read read) {
    const size_t own = at_ - 1;
    const uint64_t place = Base62();
    if (place >= own) Fail();
    if (failed_) return;
    const size_t after = at_;
    at_ = place;
    read();
    at_ = after;
  }

  // `in_value`: the path names a function, not a type.
  void Path(bool in_value) {
    const Level level(this);
    switch (Next()) {
      case 'C':
        return Add(NextIdentifier());
      case 'M':
        return InherentImplementation();
      case 'X':
        SkipImplementation();
        [[fallthrough]];
      case 'Y':
        Add("<");
        Type();
        Add(" as ");
        Path(/*in_value=*/false);
        return Add(">");
      case 'N':
        return NestedPath(in_value);
      case 'I':
        Path(in_value);
        return GenericArguments(/*are_shown=*/!in_value);
      case 'B':
        return BackReference([&] { Path(in_value); });
      default:
        Fail();
    }
  }

  void NestedPath(bool in_value) {
    const char name_space = Next();
    Path(in_value);
    const Identifier identifier = NextIdentifier();
    if (name_space >= 'a' && name_space <= 'z') {
      if (identifier.name.empty()) return;
      Add("::");
      return Add(identifier);
    }
    Add("::{");
    Add(name_space == 'C' ? "closure" : name_space == 'S' ? "shim" : std::string_view(&name_space, 1));
    if (!identifier.name.empty()) {
      Add(":");
      Add(identifier);
    }
    Add("#" + std::to_string(identifier.disambiguator) + "}");
  }

  // Formats "Vec<i32>" or "<[u8]>".
  void InherentImplementation() {
    SkipImplementation();
    const size_t begin = out_.size();
    Type();
    if (failed_) return;
    const std::string_view type = std::string_view(out_).substr(begin);
    const bool is_path = !type.empty() && std::string_view("[(&*<!").find(type.front()) == std::string_view::npos &&
                         !type.starts_with("dyn ");
    if (is_path) return;
    out_.insert(begin, "<");
    Add(">");
  }

  // Skips the path of an implementation: the type is more informative.
  void SkipImplementation() {
    Disambiguator();
    const size_t size = out_.size();
    Path(/*in_value=*/false);
    if (!failed_) out_.resize(size);
  }

  // Reads up to "E".
  template <typename Read>
  size_t List(std::string_view separator, Read read) {
    size_t count = 0;
    while (!failed_ && !Accept('E')) {
      const size_t before = out_.size();
      if (count > 0) Add(separator);
      if (read()) {
        ++count;
      } else if (!failed_) {
        out_.resize(before);
      }
    }
    return count;
  }

  void GenericArguments(bool are_shown) {
    const size_t before = out_.size();
    Add("<");
    const size_t count = List(", ", [&] {
      if (Accept('L')) return Base62(), false;
      if (Accept('K')) return Constant(), true;
      return Type(), true;
    });
    Add(">");
    if (!failed_ && (count == 0 || !are_shown)) out_.resize(before);
  }

  void Binder() {
    if (Accept('G')) Base62();
  }
  void Lifetime() {
    if (Accept('L')) Base62();
  }

  void Type() {
    const Level level(this);
    if (const std::string_view basic = BasicType(Peek()); !basic.empty()) {
      ++at_;
      return Add(basic);
    }
    switch (Peek()) {
      case 'A':
        ++at_;
        Add("[");
        Type();
        Add("; ");
        Constant();
        return Add("]");
      case 'S':
        ++at_;
        Add("[");
        Type();
        return Add("]");
      case 'T':
        ++at_;
        Add("(");
        if (List(", ", [&] { return Type(), true; }) == 1) Add(",");
        return Add(")");
      case 'R':
      case 'Q':
        Add(Next() == 'Q' ? "&mut " : "&");
        Lifetime();
        return Type();
      case 'P':
      case 'O':
        Add(Next() == 'O' ? "*mut " : "*const ");
        return Type();
      case 'F':
        ++at_;
        return FunctionType();
      case 'D':
        ++at_;
        return TraitObject();
      case 'B':
        ++at_;
        return BackReference([&] { Type(); });
      default:
        return Path(/*in_value=*/false);
    }
  }

  void FunctionType() {
    Binder();
    if (Accept('U')) Add("unsafe ");
    if (Accept('K')) {
      Add("extern \"");
      if (Accept('C')) {
        Add("C");
      } else {
        Add(PlainIdentifier());
      }
      Add("\" ");
    }
    Add("fn(");
    List(", ", [&] { return Type(), true; });
    Add(")");
    if (Accept('u')) return;
    Add(" -> ");
    Type();
  }

  void TraitObject() {
    Binder();
    Add("dyn ");
    List(" + ", [&] { return Path(/*in_value=*/false), AssociatedTypes(), true; });
    if (!Accept('L')) return Fail();
    Base62();
  }

  void AssociatedTypes() {
    while (Accept('p')) {
      // Follows the trait's own arguments.
      const bool is_open = out_.ends_with('>');
      if (is_open) out_.pop_back();
      Add(is_open ? ", " : "<");
      Add(PlainIdentifier());
      Add(" = ");
      Type();
      Add(">");
    }
  }

  void Constant() {
    const Level level(this);
    const char type = Next();
    if (type == 'p') return Add("_");
    if (type == 'B') return BackReference([&] { Constant(); });
    if (BasicType(type).empty()) return Fail();
    const bool is_negative = Accept('n');
    uint64_t value = 0;
    const size_t begin = at_;
    while (!failed_ && !Accept('_')) {
      const char digit = Next();
      const bool is_letter = digit >= 'a' && digit <= 'f';
      if (!is_letter && (digit < '0' || digit > '9')) Fail();
      value = value << 4 | static_cast<uint64_t>(is_letter ? digit - 'a' + 10 : digit - '0');
    }
    if (failed_) return;
    const std::string_view digits = text_.substr(begin, at_ - 1 - begin);
    if (is_negative) Add("-");
    if (type == 'b') return Add(value == 0 ? "false" : "true");
    if (type == 'c' && value >= ' ' && value < 0x7F) return Add(std::string{'\'', static_cast<char>(value), '\''});
    Add(type == 'c' || digits.size() > 16 ? "0x" + std::string(digits) : std::to_string(value));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
  bool failed_ = false;
  int depth_ = 0;
  int steps_ = 0;
};

}  // namespace

std::optional<std::string> RustPathOfSymbol(std::string_view symbol) {
  constexpr std::string_view kScheme = "_R";
  if (!symbol.starts_with(kScheme)) return std::nullopt;
  symbol.remove_prefix(kScheme.size());
  return Demangler(symbol).Demangle();
}

}  // namespace sparkprof
