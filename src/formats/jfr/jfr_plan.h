// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/jfr/jfr_cursor.h"
#include "formats/jfr/jfr_metadata.h"

namespace sparkprof {

// The fields that sparkprof uses. Writers put them in any order, and some have several names.
enum class JfrRole : uint8_t {
  kNone,
  kAddress,
  kAllocationSize,
  kAllocationTime,
  kClass,
  kDuration,
  kFailed,
  kFrames,
  kGcId,
  kHeapCommitted,
  kHeapUsed,
  kId,
  kJavaName,
  kLineNumber,
  kMethod,
  kName,
  kOsName,
  kOsThreadId,
  kSamples,
  kSamplingPeriod,
  kSize,
  kStackTrace,
  kStartTime,
  kState,
  kTag,
  kThread,
  kTimeSpan,
  kTlabSize,
  kTruncated,
  kType,
  kValue,
  kWeight,
  kWhen,
  kRoleCount,
};

enum class JfrOp : uint8_t { kInteger, kInteger32, kByte, kFloat, kDouble, kString, kArray };

// How to read one field of a record. Structs inside a record are flattened into their parent's steps.
struct JfrStep {
  JfrOp op = JfrOp::kInteger;
  JfrRole role = JfrRole::kNone;
  JfrTimeUnit unit = JfrTimeUnit::kNone;
  bool constant_pool = false;  // the integer is a key of the pool of `type`
  uint64_t type = 0;
  uint32_t element_plan = 0;  // plan for an array's elements, as an index of the plan table
};

// One value for each role: a number, the bits of a double, or the position in the chunk of a string or array.
class JfrValues {
 public:
  int64_t& operator[](JfrRole role) { return values_[static_cast<size_t>(role)]; }
  int64_t operator[](JfrRole role) const { return values_[static_cast<size_t>(role)]; }

 private:
  std::array<int64_t, static_cast<size_t>(JfrRole::kRoleCount)> values_{};
};

struct JfrPlan {
  bool usable = false;         // false: it contains an undescribed type, so none of its records can be read
  bool only_integers = false;  // every step is a compressed integer: records can be skipped by counting
  std::vector<JfrStep> steps;

  // Returns null if no step fills the role.
  const JfrStep* Find(JfrRole role) const;
};

// Plans for the types of one chunk, created on demand.
class JfrPlanTable {
 public:
  explicit JfrPlanTable(const JfrMetadata* metadata) : metadata_(metadata) {}

  uint32_t For(uint64_t type);
  // The reference stays valid.
  const JfrPlan& Get(uint32_t plan) const { return *plans_[plan]; }

  // Reads the record at the cursor. Roles that the plan does not have keep their values.
  void Read(const JfrPlan& plan, JfrCursor* cursor, JfrValues* values) const;
  void Skip(const JfrPlan& plan, JfrCursor* cursor, uint64_t count) const;
  // Moves the cursor from a record's start to its first string; false if it has none.
  bool SeekString(const JfrPlan& plan, JfrCursor* cursor) const;

 private:
  uint32_t Declare(uint64_t type);
  void Compile(uint64_t type, JfrPlan* plan);
  void AddSteps(uint64_t type, const JfrField* field, const std::string& prefix, int depth, JfrPlan* plan);
  uint32_t KeyPlan();
  void SkipRecords(const JfrPlan& plan, JfrCursor* cursor, uint64_t count, int depth) const;
  void SkipStep(const JfrStep& step, JfrCursor* cursor, int depth) const;
  void SkipArray(const JfrStep& step, JfrCursor* cursor, int depth) const;

  static constexpr uint32_t kNoPlan = 0xFFFFFFFF;

  const JfrMetadata* metadata_;
  std::vector<std::unique_ptr<JfrPlan>> plans_;
  std::unordered_map<uint64_t, uint32_t> plan_by_type_;
  std::vector<uint64_t> declared_;  // types whose plans have no steps so far
  uint32_t key_plan_ = kNoPlan;
  size_t values_left_ = 0;  // remaining values of the plan being compiled
};

inline void JfrPlanTable::Read(const JfrPlan& plan, JfrCursor* cursor, JfrValues* values) const {
  for (const JfrStep& step : plan.steps) {
    int64_t value = 0;
    switch (step.op) {
      case JfrOp::kInteger:
        value = static_cast<int64_t>(cursor->Varint());
        break;
      case JfrOp::kInteger32:
        value = static_cast<int32_t>(cursor->Varint());
        break;
      case JfrOp::kByte:
        value = cursor->Byte();
        break;
      case JfrOp::kFloat:
        value = std::bit_cast<int64_t>(static_cast<double>(std::bit_cast<float>(cursor->Fixed32())));
        break;
      case JfrOp::kDouble:
        value = static_cast<int64_t>(cursor->Fixed64());
        break;
      case JfrOp::kString:
        value = static_cast<int64_t>(cursor->Position());
        SkipJfrString(cursor);
        break;
      case JfrOp::kArray:
        value = static_cast<int64_t>(cursor->Position());
        SkipArray(step, cursor, 0);
        break;
    }
    (*values)[step.role] = value;
  }
}

}  // namespace sparkprof
