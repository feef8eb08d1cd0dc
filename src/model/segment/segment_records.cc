// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "model/segment/column_reader.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {

// Field numbers are those of segment.proto, in its order.

Result<Source> DecodeSource(MessageReader message) {
  Source source;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        source.application_id = message.get_string();
        break;
      case 2:
        source.application_attempt = message.get_string();
        break;
      case 3:
        source.application_name = message.get_string();
        break;
      case 4:
        source.executor_id = message.get_string();
        break;
      case 5:
        source.host = message.get_string();
        break;
      case 6:
        source.boot_id = message.get_string();
        break;
      case 7:
        source.pid = message.get_int64();
        break;
      case 8:
        source.start_ticks = message.get_int64();
        break;
      case 9:
        source.spark_version = message.get_string();
        break;
      case 10:
        source.java_version = message.get_string();
        break;
      case 11:
        source.sparkprof_version = message.get_string();
        break;
      case 12:
        source.bucket_ns = message.get_int64();
        break;
      case 13:
        source.sequence = message.get_uint64();
        break;
      case 14:
        source.role = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  if (const ColumnRange widths{.least = 0, .most = kWidestBucketNanos}; !widths.Contains(source.bucket_ns))
    return FailOutOfRange("source", 0, "bucket_ns", std::to_string(source.bucket_ns), widths);
  return source;
}

ClockAnchor DecodeAnchor(MessageReader message) {
  ClockAnchor anchor;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        anchor.monotonic_ns = message.get_int64();
        break;
      case 2:
        anchor.epoch_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return anchor;
}

Process DecodeProcess(MessageReader message) {
  Process process;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        process.pid = message.get_int64();
        break;
      case 2:
        process.start_ticks = message.get_int64();
        break;
      case 3:
        process.parent_pid = message.get_int64();
        break;
      case 4:
        process.role = message.get_string();
        break;
      case 5:
        process.command = message.get_string();
        break;
      case 6:
        process.first_seen_ns = message.get_int64();
        break;
      case 7:
        process.last_seen_ns = message.get_int64();
        break;
      case 8:
        process.started_ns = message.get_int64();
        break;
      case 9:
        process.ended = message.get_bool();
        break;
      case 10:
        process.user = message.get_string();
        break;
      case 11:
        process.application_id = message.get_string();
        break;
      case 12:
        process.executor_id = message.get_string();
        break;
      case 13:
        process.container_id = message.get_string();
        break;
      case 14:
        process.control_group = message.get_string();
        break;
      case 15:
        process.name = message.get_string();
        break;
      case 16:
        process.state = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return process;
}

Loss DecodeLoss(MessageReader message) {
  Loss loss;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        loss.what = message.get_string();
        break;
      case 2:
        loss.reason = message.get_string();
        break;
      case 3:
        loss.count = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return loss;
}

Notice DecodeNotice(MessageReader message) {
  Notice notice;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        notice.time_ns = message.get_int64();
        break;
      case 2:
        notice.level = static_cast<NoticeLevel>(std::min(message.get_uint32(), 2u));
        break;
      case 3:
        notice.text = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return notice;
}

ProfilerSetting DecodeSetting(MessageReader message) {
  ProfilerSetting setting;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        setting.name = message.get_string();
        break;
      case 2:
        setting.value = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return setting;
}

Udf DecodeUdf(MessageReader message) {
  Udf udf;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        udf.task = message.get_int64();
        break;
      case 2:
        udf.eval_type = message.get_int32();
        break;
      case 3:
        udf.name = message.get_string();
        break;
      case 4:
        udf.file = message.get_string();
        break;
      case 5:
        udf.line = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return udf;
}

PythonTask DecodePythonTask(MessageReader message) {
  PythonTask task;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        task.task = message.get_int64();
        break;
      case 2:
        task.pid = message.get_int64();
        break;
      case 3:
        task.start_ticks = message.get_int64();
        break;
      case 4:
        task.begin_ns = message.get_int64();
        break;
      case 5:
        task.end_ns = message.get_int64();
        break;
      case 6:
        task.cpu_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  return task;
}

Column DecodeColumn(MessageReader message) {
  Column column;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        column.name = message.get_string();
        break;
      case 2: {
        uint64_t value = 0;
        for (const int64_t delta : message.get_packed_sint64()) {
          value += static_cast<uint64_t>(delta);
          column.value.push_back(static_cast<int64_t>(value));
        }
        break;
      }
      default:
        message.skip();
    }
  }
  return column;
}

}  // namespace sparkprof
