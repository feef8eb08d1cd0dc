#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""label_lines.py LOG… > labeled_lines.txt: one "label<TAB>line" for log lines of real Spark runs.

A label names the statement of Spark's (or Hadoop's, Parquet's, Jetty's) source that wrote the line: the logger and the
words by which its statements differ, from a reading of those sources. It knows nothing of the template miner that is
tested with it. At most 30 lines of one statement are kept; a line that no entry fits is an error. Machine paths are
replaced.
"""

import collections
import getpass
import os
import re
import sys
import tempfile

LINE = re.compile(r"^\d\d/\d\d/\d\d \d\d:\d\d:\d\d (TRACE|DEBUG|INFO|WARN|ERROR) ([^ ]+): ?(.*)$")
# By logger: regular expressions, one for each statement, tried in order. "" takes what is left: loggers with one statement.
STATEMENTS = {
    "TaskSetManager": [
        "Starting task",
        "Finished task",
        r"Lost task .* on [^ ]+, executor \d+: ",
        "Lost task",
        r"Task \d+ in stage .* failed \d+ times",
        r"[tT]ask .* failed, but the task will not be re-executed",
        "Marking task",
        "Killing attempt",
        "Ignoring task-finished",
    ],
    "DAGScheduler": [
        "Got job",
        "Got map stage job",
        "Final stage",
        "Parents of final stage",
        r"Missing parents: ",
        r"Missing parents found",
        r"Submitting \w+ \d+ ",
        r"Submitting \d+ missing tasks",
        r"Job \d+ finished",
        r"Job \d+ failed",
        r"Job \d+ is finished",
        r"\w+ \d+ \(.*\) finished in",
        r"\w+ \d+ \(.*\) failed in",
        "Registering RDD",
        "looking for newly",
        "running:",
        "waiting:",
        "failed:",
        "Resubmitting failed",
        "Resubmitting .* due to",
        "Resubmitted",
        "Marking .* as failed",
        "Executor lost",
        "Shuffle files lost",
        "Asked to cancel",
        "Host added",
        "Executor .* added",
    ],
    "TaskSchedulerImpl": [
        "Adding task set",
        "Removed TaskSet",
        "Killing all running tasks",
        "Cancelling stage",
        "Canceling stage",
        r"Stage \d+(\.\d+)? was cancelled",
        "Starting speculative",
        "Lost executor",
        "Executor .* on .* killed",
        "Ignoring update",
    ],
    "SparkContext": [
        "Running Spark version",
        "OS info",
        "Java version",
        "Submitted application",
        "Starting job",
        "Created broadcast",
        r"Successfully stopped SparkContext \(Uptime",
        "Successfully stopped",
        r"SparkContext is stopping with exitCode \d+ from",
        "SparkContext is stopping",
        "SparkContext already stopped",
        "Invoking stop",
    ],
    "SecurityManager": [
        "Changing view acls to",
        "Changing modify acls to",
        "Changing view acls groups",
        "Changing modify acls groups",
        "SecurityManager: authentication",
    ],
    "MemoryStore": [r"Block .* stored as values", r"Block .* stored as bytes", "MemoryStore started", "MemoryStore cleared"],
    "BlockManagerInfo": [r"Added .* in memory", r"Added .* on disk", r"Removed .* in memory", r"Removed .* on disk"],
    "BlockManager": [
        "Using",
        "Initialized",
        "Removing RDD",
        "Found block .* locally",
        "Found block .* remotely",
        "BlockManager stopped",
        "Asked to remove block",
        "Putting block",
        "Block .* could not be removed",
        "Reporting",
        "external shuffle",
    ],
    "BlockManagerMaster": ["Registering", "Registered", "Removed", "Removal", "BlockManagerMaster stopped", "Updated"],
    "BlockManagerMasterEndpoint": [
        "Using",
        "BlockManagerMasterEndpoint up",
        "Registering",
        "Trying to remove",
        "Removing block manager",
        "Removed .* successfully",
        "No more replicas",
    ],
    "BlockManagerStorageEndpoint": [""],
    "Executor": [
        "Starting executor ID",
        "OS info",
        "Java version",
        "Starting executor with user",
        "Created or updated repl",
        "Running task",
        r"Finished task .* bytes result sent to driver",
        "Finished task",
        r"Exception in task [^:]*\)$",
        r"Exception in task [^:]*\): ",
        r".*block locks were not released",
        "Executor is trying to kill",
        "Executor interrupted and killed",
        "Executor killed task",
        "Told to re-register",
        "Fetching",
        "Adding",
        "Using REPL",
        "Issue communicating",
    ],
    "CoarseGrainedExecutorBackend": [
        "Connecting to driver",
        "Successfully registered",
        "Got assigned task",
        "Driver commanded",
        "Started daemon",
        "RECEIVED SIGNAL",
        "Registered signal",
        "Driver .* disassociated",
        "Executor self-exiting",
    ],
    "TorrentBroadcast": ["Started reading", "Reading broadcast", "Destroying"],
    "MapOutputTrackerWorker": ["Don't have", "Doing the fetch", "Got the", "Updating epoch"],
    "MapOutputTracker": [""],
    "MapOutputTrackerMasterEndpoint": ["Asked to send", "MapOutputTrackerMasterEndpoint stopped"],
    "ShuffleBlockFetcherIterator": ["Getting", "Started", "Failed to get"],
    "TransportClientFactory": ["Successfully created", "Found inactive"],
    "ContextHandler": ["Started", "Stopped"],
    "AbstractConnector": ["Started", "Stopped"],
    "Server": ["jetty-", r"Started @", "Started Server", "Stopped", "Shutdown"],
    "Utils": [
        "Successfully started service",
        "Aborting task",
        "Uncaught exception",
        "Your hostname",
        "Set SPARK_LOCAL_IP",
        "Service",
        "Fetching",
        "Copying",
    ],
    "SparkEnv": [
        "Registering MapOutputTracker",
        "Registering BlockManagerMasterHeartbeat",
        "Registering BlockManagerMaster",
        "Registering OutputCommitCoordinator",
    ],
    "ResourceUtils": ["=====", "No custom resources"],
    "ResourceProfile": ["Default", "Limiting"],
    "ResourceProfileManager": [""],
    "JettyUtils": ["Start Jetty", "Adding filter"],
    "log": [""],
    "NativeCodeLoader": [""],
    "DiskBlockManager": [""],
    "SparkUI": ["Stopped", "Bound"],
    "NettyBlockTransferService": [""],
    "SharedState": ["Setting", "Warehouse"],
    "ShutdownHookManager": ["Shutdown hook", "Deleting"],
    "OutputCommitCoordinator": [""],
    "OutputCommitCoordinator$OutputCommitCoordinatorEndpoint": [""],
    "SingleEventLogFileWriter": [""],
    "RollingEventLogFilesWriter": ["Logging", "Renaming"],
    "StandaloneSchedulerBackend": [
        "Connected",
        "Granted",
        "Executor .* removed",
        "SchedulerBackend is ready",
        "Application has been killed",
        "Shutting down",
    ],
    "StandaloneSchedulerBackend$StandaloneDriverEndpoint": ["Asking each", "Asked to remove", "Registered executor"],
    "StandaloneAppClient$ClientEndpoint": ["Connecting to master", "Executor added", r"Executor updated: .* \(", "Executor updated"],
    "Master": [
        "Registering worker",
        "Registering app",
        "Registered app",
        "Removing app",
        "Removing executor",
        "Removing worker",
        "Telling app",
        "Launching",
        "Start scheduling",
        "Got status update",
        "Starting Spark master",
        "Running Spark",
        "I have been",
        "Application .* failed",
        ".* got disassociated",
        "Received unregister",
    ],
    "Worker": [
        "Starting Spark worker",
        "Running Spark",
        "Spark home",
        "Connecting",
        "Successfully registered",
        "Asked to launch",
        "Asked to kill executor",
        "Asked to kill unknown",
        "Executor .* finished",
        "Unknown Executor",
        "Failed to launch",
        "Cleaning up",
        "Worker decom",
        "Worker cleanup",
    ],
    "ExecutorRunner": ["Launch command", "Killing process", "Runner thread"],
    "MasterWebUI": [""],
    "WorkerWebUI": [""],
    "WorkerWatcher": ["Connecting", "Successfully connected"],
    "LocalSparkCluster": ["Starting", "Shutting"],
    "SignalUtils": [""],
    "ExternalShuffleBlockResolver": ["Application", "Clean up", "Executor is not"],
    "CodeGenerator": [""],
    "CodecConfig": [""],
    "CodecPool": ["Got brand-new compressor", "Got brand-new decompressor"],
    "PythonRunner": [""],
    "PythonUDFRunner": [""],
    "PythonUDFWithNamedArgumentsRunner": [""],
    "PythonAccumulatorV2": [""],
    "PythonRDD": [""],
    "MapPartitionsRDD": [""],
    "HadoopRDD": ["Task", "Input split"],
    "FileScanRDD": [""],
    "FileInputFormat": [""],
    "deprecation": [""],
    "InMemoryFileIndex": ["It took", "Selected"],
    "FileSourceStrategy": ["Pushed", "Post-Scan", "Output Data"],
    "DataSourceStrategy": [""],
    "FileSourceScanExec": [""],
    "FileFormatWriter": ["Start to commit", "Write Job", "Finished processing", "Job .* aborted", "Task .* aborted"],
    "SparkHadoopWriter": ["Start to commit", "Write Job", "Task .* aborted", "Aborting job"],
    "SparkHadoopMapRedUtil": [""],
    "SQLHadoopMapReduceCommitProtocol": ["Using user defined", "Using output committer"],
    "HadoopMapRedCommitProtocol": [""],
    "PathOutputCommitterFactory": [""],
    "FileOutputCommitter": ["File Output", "FileOutputCommitter skip", "Saved output", "Could not delete"],
    "ParquetUtils": [""],
    "ParquetOutputFormat": [""],
    "ParquetWriteSupport": [""],
    "HashAggregateExec": [""],
    "ShufflePartitionsUtil": [""],
    "RetryingBlockTransferor": [""],
    "ReliableRDDCheckpointData": [""],
    "BarrierCoordinator": [""],
    "ContextCleaner": ["Cleaned accumulator", "Cleaned shuffle", "Cleaned broadcast"],
    "UnsafeExternalSorter": [""],
    "CoalescedRDD": [""],
    "BlockManagerMasterEndpointX": [""],
    "SparkSQLQueryContext": [""],
    "AsyncEventQueue": [""],
    "HeartbeatReceiver": [""],
    "RDDOperationScope": [""],
    "TransportRequestHandler": ["Error while invoking", "Error opening", "Error sending"],
    "DriverLogger": [""],
    "ExecutorPluginContainer": [""],
    "DriverPluginContainer": [""],
    "SparkProf": ["sparkprof: profiling started"],
    "InternalParquetRecordReader": ["at row", "block read", "RecordReader initialized"],
    "FilterCompat": [""],
    "CSVDataSource": [""],
    "CacheManager": [""],
}
# Statements of several classes with the same words: a template cannot tell them apart, nor need it.
SAME = {
    "PythonUDFRunner/": "PythonRunner/",
    "PythonUDFWithNamedArgumentsRunner/": "PythonRunner/",
    "Executor/OS info": "SparkContext/OS info",
    "Executor/Java version": "SparkContext/Java version",
    "Master/Running Spark": "SparkContext/Running Spark version",
    "Worker/Running Spark": "SparkContext/Running Spark version",
    "PythonRDD/": "MapPartitionsRDD/",
    "HadoopMapRedCommitProtocol/": "SQLHadoopMapReduceCommitProtocol/Using output committer",
    "MasterWebUI/": "WorkerWebUI/",
    "StandaloneAppClient$ClientEndpoint/Connecting to master": "Worker/Connecting",
    "SparkHadoopWriter/Start to commit": "FileFormatWriter/Start to commit",
    "SparkHadoopWriter/Write Job": "FileFormatWriter/Write Job",
    "SparkHadoopWriter/Task .* aborted": "FileFormatWriter/Task .* aborted",
    "SingleEventLogFileWriter/": "RollingEventLogFilesWriter/Logging",
}
REPLACED = [
    (r"/[\w/.-]*/pyspark-[0-9.]+", "/opt/spark"),
    (re.escape(tempfile.gettempdir()) + r"(/\w+){0,2}", "/home/me/logs"),
    (re.escape(os.path.expanduser("~")) + r"\b", "/home/me"),
    (rf"\b{re.escape(getpass.getuser())}\b", "me"),
]
LIMIT = 30


def main():
    kept = collections.Counter()
    unknown = set()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                match = LINE.match(line.rstrip("\n"))
                if not match:
                    continue
                _, logger, message = match.groups()
                words = next((words for words in STATEMENTS.get(logger, []) if re.match(words, message)), None)
                if words is None:
                    unknown.add(f"{logger}: {message[:120]}")
                    continue
                label = f"{logger}/{words}"
                label = SAME.get(label, label)
                kept[label] += 1
                if kept[label] > LIMIT:
                    continue
                text = line.rstrip("\n")[:600]
                for old, new in REPLACED:
                    text = re.sub(old, new, text)
                print(f"{label}\t{text}")
    for line in sorted(unknown):
        print(f"no statement for {line}", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
