// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_constants.h"
#include "formats/jfr/jfr_events.h"
#include "formats/jfr/jfr_metadata.h"
#include "formats/jfr/jfr_plan.h"
#include "formats/jfr/jfr_stacks.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMetadataEvent = 0;
constexpr uint64_t kConstantPoolEvent = 1;

// Walks over the records between header and end; each is {size, type, fields}. Stops when `on_record(type, fields)`
// returns false.
template <typename OnRecord>
void ForEachRecord(std::string_view chunk, JfrChunkStatus* status, OnRecord&& on_record) {
  size_t position = kJfrHeaderSize;
  while (position < chunk.size()) {
    JfrCursor cursor(chunk, position, chunk.size());
    const uint64_t size = cursor.Varint();
    const size_t after_size = cursor.Position();
    const uint64_t type = cursor.Varint();
    if (cursor.Failed() || size > chunk.size() - position || position + size < cursor.Position()) {
      // Without its length, the next record cannot be found.
      ++status->damaged_events;
      status->unread_bytes = chunk.size() - position;
      return;
    }
    const size_t end = position + size;
    position = end;
    if (type == kMetadataEvent || type == kConstantPoolEvent) continue;
    JfrCursor fields(chunk, after_size, end);
    fields.Varint();  // skips the type; the fields start after it
    if (!on_record(type, &fields)) return;
  }
}

// The type of jdk.ObjectAllocationSample if the chunk also has records of each TLAB, which count the same allocations.
std::optional<uint64_t> RedundantAllocationSamples(std::string_view chunk, const JfrMetadata& metadata) {
  std::optional<uint64_t> samples;
  std::vector<uint64_t> tlabs;
  for (const JfrType& type : metadata.types) {
    if (type.name == "jdk.ObjectAllocationSample") samples = type.id;
    if (type.name == "jdk.ObjectAllocationInNewTLAB" || type.name == "jdk.ObjectAllocationOutsideTLAB") {
      tlabs.push_back(type.id);
    }
  }
  if (!samples || tlabs.empty()) return std::nullopt;
  bool has_tlabs = false;
  JfrChunkStatus ignored;
  ForEachRecord(chunk, &ignored, [&](uint64_t type, JfrCursor*) {
    has_tlabs = std::find(tlabs.begin(), tlabs.end(), type) != tlabs.end();
    return !has_tlabs;
  });
  return has_tlabs ? samples : std::nullopt;
}

}  // namespace

// The types that a chunk describes, and how to read their records.
struct JfrReader::Described {
  Described(std::string_view description, JfrMetadata types) : content(description), metadata(std::move(types)) {}

  const std::string content;
  const JfrMetadata metadata;
  JfrPlanTable plans{&metadata};
};

JfrReader::JfrReader(StringTable* strings, FrameTable* frames, StackTable* stacks, JfrHandler* handler)
    : strings_(strings), frames_(frames), stacks_(stacks), handler_(handler) {}

JfrReader::~JfrReader() = default;

Result<void> JfrReader::Describe(std::string_view chunk, size_t position) {
  const Result<std::string_view> content = FindJfrMetadata(chunk, position);
  if (!content) return tl::unexpected(content.error());
  if (described_ != nullptr && described_->content == *content) return {};
  Result<JfrMetadata> metadata = ReadJfrMetadata(*content);
  if (!metadata) return tl::unexpected(metadata.error());
  described_ = std::make_unique<Described>(*content, std::move(*metadata));
  return {};
}

Result<JfrChunkStatus> JfrReader::ReadChunk(std::string_view chunk, const std::string& name, uint64_t offset) {
  const Result<JfrChunkHeader> header = ParseJfrChunkHeader(chunk, name, offset);
  if (!header) return tl::unexpected(header.error());
  if (header->size != chunk.size() || header->IsBeingWritten()) {
    return Fail(fmt::format("{}: offset {}: expected a complete JFR chunk of {} bytes, found {}", name, offset,
                            header->size, chunk.size()));
  }
  if (const Result<void> described = Describe(chunk, header->metadata_offset); !described) {
    return Fail(fmt::format("{}: offset {}: {}", name, offset + header->metadata_offset, described.error().message));
  }
  const JfrMetadata& metadata = described_->metadata;
  JfrPlanTable& plans = described_->plans;

  JfrChunkStatus status;
  status.start_epoch_ns = header->start_epoch_ns;
  status.duration_ns = header->duration_ns;
  status.start_ticks = header->start_ticks;
  status.ticks_per_second = header->ticks_per_second;

  JfrConstants constants(chunk, &metadata, &plans);
  status.damaged_events += constants.Read(header->constants_offset);
  JfrStacks chunk_stacks(chunk, &plans, &constants, strings_, frames_, stacks_, &known_stacks_);
  JfrEvents events(&*header, &metadata, &plans, &constants, &chunk_stacks, strings_, handler_, &engine_is_wall_);
  if (const auto redundant = RedundantAllocationSamples(chunk, metadata)) events.Ignore(*redundant);
  ForEachRecord(chunk, &status, [&](uint64_t type, JfrCursor* fields) {
    ++status.events;
    events.Read(type, fields, &status);
    return true;
  });
  return status;
}

}  // namespace sparkprof
