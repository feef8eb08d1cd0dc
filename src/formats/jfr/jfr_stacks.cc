// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_stacks.h"

#include <algorithm>
#include <array>

#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

// Frame types have small keys (a dozen at most); others are damage.
constexpr uint64_t kMaxFrameType = 255;
constexpr size_t kMaxFrameFields = 8;
// Class files count lines up to 65535.
constexpr int64_t kMaxLine = 0xFFFFFF;

FrameKind ParseKind(std::string_view type) {
  if (type == "Interpreted") return FrameKind::kInterpreted;
  if (type == "JIT compiled" || type == "C1 compiled") return FrameKind::kJit;
  if (type == "Inlined") return FrameKind::kInlined;
  if (type == "Native" || type == "C++") return FrameKind::kNative;
  if (type == "Kernel") return FrameKind::kKernel;
  return FrameKind::kUnknown;
}

std::string_view PrimitiveName(char descriptor) {
  switch (descriptor) {
    case 'Z':
      return "boolean";
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'S':
      return "short";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'F':
      return "float";
    case 'D':
      return "double";
  }
  return {};
}

// The slash before "0x…" ends a hidden class's name proper; the others divide packages.
void AppendDotted(std::string_view internal_name, std::string* name) {
  for (size_t i = 0; i < internal_name.size(); ++i) {
    const bool is_package = internal_name[i] == '/' && internal_name.substr(i + 1, 2) != "0x";
    name->push_back(is_package ? '.' : internal_name[i]);
  }
}

}  // namespace

std::string JavaTypeName(std::string_view internal_name) {
  size_t dimensions = 0;
  while (dimensions < internal_name.size() && internal_name[dimensions] == '[') ++dimensions;
  std::string name;
  std::string_view element = internal_name.substr(dimensions);
  if (dimensions > 0 && element.size() == 1 && !PrimitiveName(element[0]).empty()) {
    name = PrimitiveName(element[0]);
  } else {
    if (dimensions > 0 && element.size() > 2 && element.front() == 'L' && element.back() == ';') {
      element = element.substr(1, element.size() - 2);
    }
    AppendDotted(element, &name);
  }
  for (size_t i = 0; i < dimensions; ++i) name += "[]";
  return name;
}

JfrStacks::JfrStacks(std::string_view chunk, JfrPlanTable* plans, JfrConstants* constants, StringTable* strings,
                     FrameTable* frames, StackTable* stacks, JfrKnownStacks* known)
    : chunk_(chunk),
      plans_(plans),
      constants_(constants),
      strings_(strings),
      frames_(frames),
      stacks_(stacks),
      known_(known),
      stack_pool_(constants->FindByName("jdk.types.StackTrace")),
      method_pool_(constants->FindByName("jdk.types.Method")),
      class_pool_(constants->FindByName("java.lang.Class")) {
  ReadFrameKinds();
  known_->BeginChunk(Layout(), MethodMeanings());
  if (stack_pool_ != nullptr && known_->HasStacks()) FindKnownStacks(stack_pool_->Entries());
}

// In the order of the file, many at a time: neither the records nor the table of known stacks are waited for.
void JfrStacks::FindKnownStacks(std::span<JfrPool::Entry> entries) {
  std::array<JfrKnownStacks::RecordHash, 32> records;
  while (!entries.empty()) {
    const std::span<JfrPool::Entry> some = entries.first(std::min(records.size(), entries.size()));
    for (size_t i = 0; i < some.size(); ++i) {
      records[i] = HashRecord(some[i]);
      known_->Prefetch(records[i]);
    }
    for (size_t i = 0; i < some.size(); ++i) {
      some[i].resolved = known_->Stack(records[i]).value_or(JfrPool::kNotResolved);
    }
    entries = entries.subspan(some.size());
  }
}

JfrKnownStacks::RecordHash JfrStacks::HashRecord(const JfrPool::Entry& entry) const {
  return JfrKnownStacks::HashRecord(chunk_.substr(entry.position, entry.size));
}

void JfrStacks::ReadFrameKinds() {
  JfrPool* pool = constants_->FindByName("jdk.types.FrameType");
  if (pool == nullptr) return;
  kinds_.assign(kMaxFrameType + 1, FrameKind::kUnknown);
  std::string scratch;
  for (uint64_t key = 0; key <= kMaxFrameType; ++key) {
    kinds_[key] = ParseKind(constants_->RecordText(pool, key, &scratch));
    if (kinds_[key] == FrameKind::kKernel) from_async_profiler_ = true;
  }
}

// Two chunks have the same layout if equal bytes of a stack record have equal meaning, except for method IDs.
uint64_t JfrStacks::Layout() const {
  std::string layout(reinterpret_cast<const char*>(kinds_.data()), kinds_.size() * sizeof(FrameKind));
  const auto add_steps = [&](const JfrPlan& plan) {
    for (const JfrStep& step : plan.steps) {
      layout += {static_cast<char>(step.op), static_cast<char>(step.role), step.constant_pool ? 'c' : 'v'};
    }
    layout += ';';
  };
  if (stack_pool_ != nullptr) {
    add_steps(stack_pool_->Plan());
    const JfrStep* frames_step = stack_pool_->Plan().Find(JfrRole::kFrames);
    if (frames_step != nullptr && frames_step->op == JfrOp::kArray) add_steps(plans_->Get(frames_step->element_plan));
  }
  return HashBytes(layout);
}

std::vector<JfrKnownStacks::KnownMethod> JfrStacks::MethodMeanings() {
  std::vector<JfrKnownStacks::KnownMethod> meanings;
  if (method_pool_ == nullptr) return meanings;
  const JfrPlan& plan = method_pool_->Plan();
  std::string class_scratch, name_scratch;
  for (const JfrPool::Entry& entry : method_pool_->Entries()) {
    JfrValues values;
    constants_->ReadConstant(method_pool_, entry.key, &values);
    const std::string_view owner = ClassSymbol(static_cast<uint64_t>(values[JfrRole::kType]), &class_scratch);
    const std::string_view name = constants_->Text(plan.Find(JfrRole::kName), values[JfrRole::kName], &name_scratch);
    meanings.push_back({.method = entry.key, .meaning = MixHash(HashBytes(owner)) ^ HashBytes(name), .is_used = true});
  }
  return meanings;
}

FrameKind JfrStacks::Kind(uint64_t frame_type) const {
  return frame_type < kinds_.size() ? kinds_[frame_type] : FrameKind::kUnknown;
}

std::optional<StackId> JfrStacks::Stack(uint64_t key) {
  JfrPool::Entry* entry = stack_pool_ == nullptr ? nullptr : stack_pool_->Find(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->resolved != JfrPool::kNotResolved) return entry->resolved;

  const std::optional<StackId> stack = WalkStack(entry->position);
  if (!stack) return std::nullopt;
  if (!lacks_method_) known_->AddStack(HashRecord(*entry), *stack);
  return entry->resolved = *stack;
}

std::optional<StackId> JfrStacks::WalkStack(size_t position) {
  const JfrPlan& plan = stack_pool_->Plan();
  const JfrStep* frames_step = plan.Find(JfrRole::kFrames);
  if (frames_step == nullptr || frames_step->op != JfrOp::kArray) return std::nullopt;
  JfrCursor cursor(chunk_, position, chunk_.size());
  JfrValues values;
  plans_->Read(plan, &cursor, &values);
  if (cursor.Failed() ||
      !ReadFrames(plans_->Get(frames_step->element_plan), static_cast<size_t>(values[JfrRole::kFrames]))) {
    return std::nullopt;
  }
  StackId stack = 0;
  if (values[JfrRole::kTruncated] != 0) {
    stack =
        stacks_->Push(stack, frames_->Intern({.name = strings_->Intern("[truncated]"), .kind = FrameKind::kSynthetic}));
  }
  for (size_t i = leaf_first_.size(); i-- > 0;) stack = stacks_->Push(stack, leaf_first_[i]);
  return stack;
}

inline FrameId JfrStacks::InternFrame(uint64_t method, int64_t line, FrameKind kind) {
  const auto known_line = static_cast<uint32_t>(std::clamp<int64_t>(line, 0, kMaxLine));
  const JfrKnownStacks::KnownFrame wanted{.method = method,
                                          .line_and_kind = known_line << 8 | static_cast<uint8_t>(kind)};
  const JfrKnownStacks::KnownFrame* found = known_->Frames().Find(wanted);
  return found != nullptr ? found->frame : InternNewFrame(wanted, known_line, kind);
}

// Fills leaf_first_ from the array at `position`.
bool JfrStacks::ReadFrames(const JfrPlan& plan, size_t position) {
  leaf_first_.clear();
  lacks_method_ = false;
  JfrCursor cursor(chunk_, position, chunk_.size());
  const uint64_t count = cursor.Varint();
  if (count > cursor.Remaining()) return false;
  const auto add = [&](uint64_t method, int64_t line, uint64_t type) {
    leaf_first_.push_back(InternFrame(method, line, Kind(type)));
  };
  if (plan.only_integers && plan.steps.size() <= kMaxFrameFields) {
    // Both known writers use method, line, bytecode index and type, in any order. Avoids a switch per field.
    const auto position_of = [&](JfrRole role) {
      const JfrStep* step = plan.Find(role);
      return step == nullptr ? kMaxFrameFields : static_cast<size_t>(step - plan.steps.data());
    };
    const size_t method = position_of(JfrRole::kMethod);
    const size_t line = position_of(JfrRole::kLineNumber);
    const size_t type = position_of(JfrRole::kType);
    const size_t fields = plan.steps.size();
    std::array<uint64_t, kMaxFrameFields + 1> values{};
    for (uint64_t i = 0; i < count && !cursor.Failed(); ++i) {
      for (size_t field = 0; field < fields; ++field) values[field] = cursor.Varint();
      add(values[method], static_cast<int32_t>(values[line]), values[type]);
    }
  } else {
    JfrValues values;
    for (uint64_t i = 0; i < count && !cursor.Failed(); ++i) {
      plans_->Read(plan, &cursor, &values);
      add(static_cast<uint64_t>(values[JfrRole::kMethod]), values[JfrRole::kLineNumber],
          static_cast<uint64_t>(values[JfrRole::kType]));
    }
  }
  return !cursor.Failed();
}

FrameId JfrStacks::InternNewFrame(JfrKnownStacks::KnownFrame known, uint32_t line, FrameKind kind) {
  // async-profiler's native and kernel frames are symbols; the JDK's native frames are Java's native methods.
  const bool is_symbol = from_async_profiler_ && (kind == FrameKind::kNative || kind == FrameKind::kKernel);
  const Method method = ReadMethod(known.method, is_symbol);
  known.frame = frames_->Intern({method.name, method.file, line, kind});
  // A later chunk may describe it.
  const bool is_described = method_pool_ != nullptr && method_pool_->Find(known.method) != nullptr;
  if (is_described) known_->Frames().Insert(known);
  lacks_method_ |= !is_described;
  return known.frame;
}

StackId JfrStacks::Call(StackId caller, uint64_t method) {
  return stacks_->Push(caller, InternFrame(method, 0, FrameKind::kJit));
}

StringId JfrStacks::MethodName(uint64_t key) { return ReadMethod(key, false).name; }

JfrStacks::Method JfrStacks::ReadMethod(uint64_t key, bool is_symbol) {
  JfrPool::Entry* entry = method_pool_ == nullptr ? nullptr : method_pool_->Find(key);
  if (entry == nullptr) return {strings_->Intern("[unknown]"), 0};
  if (entry->resolved != JfrPool::kNotResolved) return methods_[entry->resolved];

  JfrValues values;
  constants_->ReadConstant(method_pool_, key, &values);
  const JfrPlan& plan = method_pool_->Plan();
  std::string class_scratch, name_scratch;
  const std::string_view owner = ClassSymbol(static_cast<uint64_t>(values[JfrRole::kType]), &class_scratch);
  const std::string_view name = constants_->Text(plan.Find(JfrRole::kName), values[JfrRole::kName], &name_scratch);
  Method method;
  if (is_symbol) {
    method = {strings_->Intern(name), strings_->Intern(owner)};
  } else if (owner.empty()) {
    method = {strings_->Intern(name), 0};
  } else {
    std::string full_name = JavaTypeName(owner);
    full_name += '.';
    full_name += name;
    method = {strings_->Intern(full_name), 0};
  }
  entry->resolved = static_cast<uint32_t>(methods_.size());
  methods_.push_back(method);
  return method;
}

std::string_view JfrStacks::ClassSymbol(uint64_t key, std::string* scratch) {
  JfrValues values;
  if (!constants_->ReadConstant(class_pool_, key, &values)) return {};
  return constants_->Text(class_pool_->Plan().Find(JfrRole::kName), values[JfrRole::kName], scratch);
}

StringId JfrStacks::ClassName(uint64_t key) {
  JfrPool::Entry* entry = class_pool_ == nullptr ? nullptr : class_pool_->Find(key);
  if (entry == nullptr) return 0;
  if (entry->resolved == JfrPool::kNotResolved) {
    std::string scratch;
    entry->resolved = strings_->Intern(JavaTypeName(ClassSymbol(key, &scratch)));
  }
  return entry->resolved;
}

}  // namespace sparkprof
