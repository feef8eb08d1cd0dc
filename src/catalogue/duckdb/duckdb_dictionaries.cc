// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_dictionaries.h"

#include <vector>

namespace sparkprof {
namespace {

template <typename Map>
int32_t NumberOf(Map* numbers, const typename Map::key_type& key) {
  return numbers->emplace(key, static_cast<int32_t>(numbers->size())).first->second;
}

}  // namespace

int32_t DuckdbDictionaries::Group(const std::string& name) { return NumberOf(&groups, name); }
int32_t DuckdbDictionaries::Event(const EventKey& event) { return NumberOf(&events, event); }

Result<void> DuckdbDictionaries::Load(DuckdbConnection* connection) {
  Result<void> read = connection->Query({"SELECT number, name FROM groups"}, [&](const SqlChunk& rows) {
    for (size_t row = 0; row < rows.Size(); ++row) groups.emplace(rows.Text(1, row), rows.Column<int32_t>(0)[row]);
  });
  if (!read) return read;
  read = connection->Query({"SELECT number, name, unit FROM events"}, [&](const SqlChunk& rows) {
    for (size_t row = 0; row < rows.Size(); ++row) {
      events.emplace(EventKey(rows.Text(1, row), rows.Text(2, row)), rows.Column<int32_t>(0)[row]);
    }
  });
  if (!read) return read;
  return LoadStacks(connection);
}

Result<void> DuckdbDictionaries::LoadStacks(DuckdbConnection* connection) {
  // Collects all rows first: DuckDB may return them in any order.
  struct StoredFrame {
    std::string function, file;
    int32_t kind = 0;
  };
  std::vector<StoredFrame> frames;
  std::vector<StackTable::Node> nodes;
  bool whole = true;
  // Row `number` of `table`; numbers start at 1.
  const auto place = [&](auto* table, int32_t number) {
    const auto row = static_cast<size_t>(number) - 1;
    whole = whole && number >= 1 && row <= max_stacks_ * 2;
    if (whole && row >= table->size()) table->resize(row + 1);
    return whole ? &(*table)[row] : nullptr;
  };
  Result<void> read = connection->Query({"SELECT number, function, file, kind FROM frames"}, [&](const SqlChunk& rows) {
    for (size_t row = 0; row < rows.Size(); ++row) {
      if (StoredFrame* const frame = place(&frames, rows.Column<int32_t>(0)[row])) {
        *frame = {std::string(rows.Text(1, row)), std::string(rows.Text(2, row)), rows.Column<int32_t>(3)[row]};
      }
    }
  });
  if (!read) return read;
  read = connection->Query({"SELECT number, parent, frame FROM stacks"}, [&](const SqlChunk& rows) {
    const auto* const numbers = rows.Column<int32_t>(0);
    const auto* const parents = rows.Column<int32_t>(1);
    const auto* const leaves = rows.Column<int32_t>(2);
    for (size_t row = 0; row < rows.Size(); ++row) {
      if (StackTable::Node* const node = place(&nodes, numbers[row])) {
        *node = {static_cast<StackId>(parents[row]), static_cast<FrameId>(leaves[row])};
      }
    }
  });
  if (!read) return read;
  for (const StoredFrame& frame : frames) {
    whole = whole && frame.kind >= 0 && frame.kind <= UINT8_MAX &&
            stacks.RestoreFrame(frame.function, frame.file, static_cast<uint8_t>(frame.kind));
  }
  for (const StackTable::Node& node : nodes) whole = whole && stacks.RestoreStack(node.parent, node.frame);
  if (!whole) return tl::unexpected(connection->ErrorOf("its table of stacks is damaged"));
  SetStored();
  return {};
}

void DuckdbDictionaries::SetStored() {
  stored_groups_ = groups.size();
  stored_events_ = events.size();
  stored_frames_ = stacks.FrameCount();
  stored_stacks_ = stacks.Size();
}

Result<void> DuckdbDictionaries::Append(DuckdbConnection* connection) const {
  // No lock needed: only this thread changes them.
  DuckdbAppender groups_table(connection, "groups");
  for (const auto& [name, number] : groups) {
    if (static_cast<size_t>(number) >= stored_groups_) groups_table.Row(number, name);
  }
  DuckdbAppender events_table(connection, "events");
  for (const auto& [event, number] : events) {
    if (static_cast<size_t>(number) >= stored_events_) events_table.Row(number, event.first, event.second);
  }
  DuckdbAppender frames_table(connection, "frames");
  for (size_t id = stored_frames_; id < stacks.FrameCount(); ++id) {
    const Frame& frame = stacks.GetFrame(static_cast<FrameId>(id));
    frames_table.Row(static_cast<int32_t>(id), stacks.Text(frame.name), stacks.Text(frame.file),
                     static_cast<int32_t>(frame.kind));
  }
  DuckdbAppender stacks_table(connection, "stacks");
  for (size_t id = stored_stacks_; id < stacks.Size(); ++id) {
    const StackTable::Node& node = stacks.Stack(static_cast<StackId>(id));
    stacks_table.Row(static_cast<int32_t>(id), static_cast<int32_t>(node.parent), static_cast<int32_t>(node.frame));
  }
  return groups_table.Finish()
      .and_then([&] { return events_table.Finish(); })
      .and_then([&] { return frames_table.Finish(); })
      .and_then([&] { return stacks_table.Finish(); });
}

}  // namespace sparkprof
