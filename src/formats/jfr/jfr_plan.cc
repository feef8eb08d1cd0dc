// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_plan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace sparkprof {
namespace {

// Limits structs that contain themselves or grow exponentially.
constexpr int kMaxPlanDepth = 8;
constexpr size_t kMaxValues = 1024;
// Arrays in arrays, in the data. JFR's own types nest one deep.
constexpr int kMaxArrayDepth = 8;

struct RoleName {
  std::string_view field;
  JfrRole role;
};

// From the metadata of async-profiler 4.5 and of JDK 17 to 25. "a.b" is field b of the struct in field a.
constexpr RoleName kRoleNames[] = {
    {"address", JfrRole::kAddress},
    {"allocationSize", JfrRole::kAllocationSize},
    {"allocationTime", JfrRole::kAllocationTime},
    {"duration", JfrRole::kDuration},
    {"eventThread", JfrRole::kThread},
    {"failed", JfrRole::kFailed},
    {"frames", JfrRole::kFrames},
    {"gcId", JfrRole::kGcId},
    {"heapSpace.committedSize", JfrRole::kHeapCommitted},
    {"heapUsed", JfrRole::kHeapUsed},
    {"id", JfrRole::kId},
    {"javaName", JfrRole::kJavaName},
    {"lineNumber", JfrRole::kLineNumber},
    {"method", JfrRole::kMethod},
    {"monitorClass", JfrRole::kClass},
    {"name", JfrRole::kName},
    {"objectClass", JfrRole::kClass},
    {"osName", JfrRole::kOsName},
    {"osThreadId", JfrRole::kOsThreadId},
    {"parkedClass", JfrRole::kClass},
    {"sampledThread", JfrRole::kThread},
    {"samples", JfrRole::kSamples},
    {"samplingPeriod", JfrRole::kSamplingPeriod},
    {"size", JfrRole::kSize},
    {"stackTrace", JfrRole::kStackTrace},
    {"startTime", JfrRole::kStartTime},
    {"state", JfrRole::kState},
    {"tag", JfrRole::kTag},
    {"thrownClass", JfrRole::kClass},
    {"timeSpan", JfrRole::kTimeSpan},
    {"tlabSize", JfrRole::kTlabSize},
    {"truncated", JfrRole::kTruncated},
    {"type", JfrRole::kType},
    {"value", JfrRole::kValue},
    {"weight", JfrRole::kWeight},
    {"when", JfrRole::kWhen},
};

JfrRole RoleOf(std::string_view field) {
  for (const RoleName& known : kRoleNames) {
    if (known.field == field) return known.role;
  }
  return JfrRole::kNone;
}

std::optional<JfrOp> PrimitiveOp(std::string_view type) {
  if (type == "long") return JfrOp::kInteger;
  if (type == "int" || type == "short" || type == "char") return JfrOp::kInteger32;
  if (type == "byte" || type == "boolean") return JfrOp::kByte;
  if (type == "float") return JfrOp::kFloat;
  if (type == "double") return JfrOp::kDouble;
  if (type == "java.lang.String") return JfrOp::kString;
  return std::nullopt;
}

}  // namespace

const JfrStep* JfrPlan::Find(JfrRole role) const {
  for (const JfrStep& step : steps) {
    if (step.role == role) return &step;
  }
  return nullptr;
}

uint32_t JfrPlanTable::For(uint64_t type) {
  const uint32_t index = Declare(type);
  // Arrays declare their elements' types: a list instead of recursion, since foreign types may nest without end.
  while (!declared_.empty()) {
    const uint64_t next = declared_.back();
    declared_.pop_back();
    Compile(next, plans_[plan_by_type_[next]].get());
  }
  return index;
}

uint32_t JfrPlanTable::Declare(uint64_t type) {
  const auto [found, is_new] = plan_by_type_.emplace(type, static_cast<uint32_t>(plans_.size()));
  if (is_new) {
    plans_.push_back(std::make_unique<JfrPlan>());
    declared_.push_back(type);
  }
  return found->second;
}

void JfrPlanTable::Compile(uint64_t type, JfrPlan* plan) {
  plan->usable = true;
  values_left_ = kMaxValues;
  AddSteps(type, nullptr, {}, 0, plan);
  plan->only_integers = std::all_of(plan->steps.begin(), plan->steps.end(), [](const JfrStep& step) {
    return step.op == JfrOp::kInteger || step.op == JfrOp::kInteger32;
  });
}

// Appends the steps for a value of `type` in `field` of the record (null: the record itself).
void JfrPlanTable::AddSteps(uint64_t type, const JfrField* field, const std::string& prefix, int depth, JfrPlan* plan) {
  if (depth > kMaxPlanDepth || values_left_ == 0) {
    plan->usable = false;
    return;
  }
  --values_left_;
  JfrStep step;
  step.type = type;
  if (field != nullptr) {
    step.role = RoleOf(prefix + field->name);
    step.unit = field->unit;
    step.constant_pool = field->constant_pool;
    if (field->array) {
      step.op = JfrOp::kArray;
      // Elements of a constant pool's type are keys, one integer each; the plan of "long" reads them.
      step.element_plan = field->constant_pool ? KeyPlan() : Declare(type);
      plan->steps.push_back(step);
      return;
    }
    if (field->constant_pool) {
      plan->steps.push_back(step);
      return;
    }
  }
  const JfrType* described = metadata_->Find(type);
  if (described == nullptr) {
    plan->usable = false;
    return;
  }
  if (const std::optional<JfrOp> op = PrimitiveOp(described->name)) {
    step.op = *op;
    plan->steps.push_back(step);
    return;
  }
  const std::string inner = field == nullptr ? std::string() : prefix + field->name + ".";
  for (const JfrField& child : described->fields) AddSteps(child.type, &child, inner, depth + 1, plan);
}

uint32_t JfrPlanTable::KeyPlan() {
  if (key_plan_ == kNoPlan) {
    key_plan_ = static_cast<uint32_t>(plans_.size());
    JfrPlan& plan = *plans_.emplace_back(std::make_unique<JfrPlan>());
    plan.usable = plan.only_integers = true;
    plan.steps.emplace_back();
  }
  return key_plan_;
}

void JfrPlanTable::Skip(const JfrPlan& plan, JfrCursor* cursor, uint64_t count) const {
  SkipRecords(plan, cursor, count, 0);
}

void JfrPlanTable::SkipRecords(const JfrPlan& plan, JfrCursor* cursor, uint64_t count, int depth) const {
  if (!plan.usable || depth > kMaxArrayDepth) return cursor->Fail();
  if (plan.steps.empty()) return;
  if (count > cursor->Remaining()) return cursor->Fail();  // each needs at least a byte
  if (plan.only_integers) return cursor->SkipVarints(count * plan.steps.size());
  for (uint64_t i = 0; i < count && !cursor->Failed(); ++i) {
    for (const JfrStep& step : plan.steps) SkipStep(step, cursor, depth);
  }
}

void JfrPlanTable::SkipStep(const JfrStep& step, JfrCursor* cursor, int depth) const {
  switch (step.op) {
    case JfrOp::kInteger:
    case JfrOp::kInteger32:
      cursor->Varint();
      return;
    case JfrOp::kByte:
      cursor->Skip(1);
      return;
    case JfrOp::kFloat:
      cursor->Skip(4);
      return;
    case JfrOp::kDouble:
      cursor->Skip(8);
      return;
    case JfrOp::kString:
      SkipJfrString(cursor);
      return;
    case JfrOp::kArray:
      SkipArray(step, cursor, depth);
      return;
  }
}

void JfrPlanTable::SkipArray(const JfrStep& step, JfrCursor* cursor, int depth) const {
  const uint64_t count = cursor->Varint();
  SkipRecords(Get(step.element_plan), cursor, count, depth + 1);
}

bool JfrPlanTable::SeekString(const JfrPlan& plan, JfrCursor* cursor) const {
  for (const JfrStep& step : plan.steps) {
    if (step.op == JfrOp::kString) return !cursor->Failed();
    SkipStep(step, cursor, 0);
  }
  return false;
}

}  // namespace sparkprof
