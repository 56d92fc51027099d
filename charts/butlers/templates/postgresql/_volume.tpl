{{/* Bytes of a quantity such as 2Gi, so that 2048Mi is no change. */}}
{{- define "butlers.bytes" -}}
{{- $factors := dict "" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $text := toString . -}}
{{- mulf (regexFind "^[0-9.]+" $text | float64) (get $factors (regexReplaceAll "^[0-9.]+" $text "") | float64) | printf "%.0f" -}}
{{- end -}}

{{/* Fails with the way to go where a StatefulSet could only fail: dict "namespace" … "name" … "storage" … */}}
{{- define "butlers.sameVolume" -}}
{{- $found := lookup "apps/v1" "StatefulSet" .namespace .name -}}
{{- if $found -}}
{{- $claim := (first $found.spec.volumeClaimTemplates).spec -}}
{{- $has := $claim.resources.requests.storage -}}
{{- $from := include "butlers.bytes" $has | float64 -}}
{{- $to := include "butlers.bytes" .storage.size | float64 -}}
{{- if lt $to $from -}}
{{- fail (printf "postgresql.embedded.storage.size is %s, and the volume in namespace %s has %s: a volume never becomes smaller. Set it to %s." .storage.size .namespace $has $has) -}}
{{- end -}}
{{- if gt $to $from -}}
{{- $patch := printf `{"spec":{"resources":{"requests":{"storage":"%s"}}}}` .storage.size -}}
{{- fail (printf "postgresql.embedded.storage.size is %s, and the volume in namespace %s was made with %s, which a StatefulSet cannot change. Let it grow, then run this command again; the pod and its data stay:\n  kubectl -n %s patch pvc data-%s-0 --type=merge -p '%s'\n  kubectl -n %s delete statefulset %s --cascade=orphan\nThe StorageClass needs allowVolumeExpansion: true." .storage.size .namespace $has .namespace .name $patch .namespace .name) -}}
{{- end -}}
{{- $class := $claim.storageClassName | default "" -}}
{{- if and .storage.className (ne .storage.className $class) -}}
{{- fail (printf "postgresql.embedded.storage.className is %s, and the volume in namespace %s has class %s: a volume keeps its class. Set it back, or move the data to a database of its own (docs/guides/postgresql.md)." .storage.className .namespace ($class | default "of the cluster's default")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
