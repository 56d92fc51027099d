{{/* What the operator has to know to make pods: the fields of `Place` that are not of a namespace. */}}
{{- define "butlers.place" -}}
{{- $database := eq .Values.postgresql.mode "external" | ternary .Values.postgresql.external.podLabels
  (dict "app.kubernetes.io/name" (include "butlers.postgresql" .) "app.kubernetes.io/instance" .Release.Name) -}}
{{- $household := .Values.household -}}
{{- $acting := include "butlers.operators" . | fromJsonArray -}}
{{- $place := dict
  "operator_namespace" .Release.Namespace
  "operator_pods" (dict "app.kubernetes.io/name" (include "butlers.operator" .) "app.kubernetes.io/instance" .Release.Name)
  "dashboard_pods" (empty $acting | ternary dict (include "butlers.selector" (dict "root" . "name" (include "butlers.dashboard" .)) | fromYaml))
  "dashboard_operators" $acting
  "database_port" (eq .Values.postgresql.mode "external" | ternary .Values.postgresql.external.port 5432 | int)
  "database_pods" $database
  "run_as" $household.runAsUser
  "allowed_images" $household.allowedImages
  "pod" $household.pod
  "storage_size" $household.storage.size
  "extra_egress_ports" $household.extraEgressPorts
  "spark" (dict "image" (include "butlers.image" (dict "root" . "image" .Values.rollups.image))
    "image_pull_policy" .Values.rollups.image.pullPolicy
    "cpu" .Values.rollups.cpu "memory_mb" (int .Values.rollups.memoryMiB) "run_as" .Values.rollups.runAsUser
    "executor_account" (.Values.rollups.executors.serviceAccount | default nil) "executors" (int .Values.rollups.executors.count))
  "metrics_namespace" (.Values.metrics.namespace | default nil) -}}
{{- toPrettyJson $place -}}
{{- end -}}
